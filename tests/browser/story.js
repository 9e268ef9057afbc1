({
  /* What is wrong with the page of a card that is shown. */
  look() {
    const problems = [], panel = document.querySelector('.st-key-learn-panel');
    const parent = node => node.parentElement ?? node.getRootNode().host ?? null;
    const deep = root => [...root.querySelectorAll('*')].flatMap(node => [node, ...(node.shadowRoot ? deep(node.shadowRoot) : [])]);
    const card = deep(document.querySelector('.st-key-learn-card')), nodes = deep(panel);
    const part = name => card.find(node => node.matches(name));
    const box = node => node.getBoundingClientRect();
    const shown = node => node.checkVisibility({ visibilityProperty: true }) && box(node).width > 0 && box(node).height > 0;
    const at = (x, y) => {
      let node = document.elementFromPoint(x, y);
      while (node?.shadowRoot?.elementFromPoint(x, y) && node.shadowRoot.elementFromPoint(x, y) !== node) node = node.shadowRoot.elementFromPoint(x, y);
      return node;
    };
    const within = (node, other) => { for (let each = node; each; each = parent(each)) if (each === other) return true; return false; };
    // the middle of a thing is in view if nothing cuts it off and nothing lies over it; of a wide thing, its beginning
    const inView = node => {
      const { left, right, top, bottom } = box(node);
      const [x, y] = [left + Math.min(20, (right - left) / 2), top + Math.min(20, (bottom - top) / 2)];
      for (let each = parent(node); each && each !== document.body; each = parent(each)) {
        const { overflowX, overflowY } = getComputedStyle(each), clip = box(each);
        if (overflowX !== 'visible' && (x < clip.left - 1 || x > clip.right + 1)) return false;
        if (overflowY !== 'visible' && (y < clip.top - 1 || y > clip.bottom + 1)) return false;
      }
      const top_ = at(x, y);
      return Boolean(top_) && within(top_, panel) && !top_.closest('.foot');
    };
    const plain = text => {
      const name = text.trim().replace(/[▁\s]/gu, '·');
      return /^\d[\d,.]*$/.test(name) ? name.replace(/\D/g, '') : name.replace(/^(·|##)/, '');
    };
    // a pair names both its parts
    const namesOf = node => [node.textContent, ...node.textContent.split(' + ')].map(plain);
    const covered = document.documentElement.dataset.covered;
    const story = part('.le-story-head')?.checkVisibility();
    const words = card.filter(node => node.matches(story ? '.le-page:not(.away) p' : '.le-words p') && shown(node));
    const names = words.flatMap(node => [...node.childNodes].flatMap(each => each.nodeName === 'CODE' ? [each.textContent]
      : each.nodeName === '#text' ? each.textContent.match(/(?<![\p{L}\d])\d[\d,]*\d(?![\p{L}\d])/gu) ?? [] : [])).map(plain);
    const wanted = names.slice(0, 3); // of a long list its beginning
    if (covered !== 'all') for (const name of new Set(wanted)) {
      const same = nodes.filter(node => node.textContent.length < name.length + 14 && namesOf(node).includes(name) && shown(node) && !node.closest('.headline, .foot, .side, .sr, .ribbon, style, .say'));
      if (same.length && !same.some(inView)) problems.push(`hidden: ${name}`);
    }
    const MARKS = ['.sym.hit', '.sym.done', '.joint.newest', '.pairs .now', '.bd-bar.focus', '.arc.at', '.sym.here'];
    for (const mark of MARKS) {
      const marked = nodes.filter(node => node.matches(mark) && shown(node) && node.closest('.top, .columns'));
      if (marked.length && !marked.some(inView)) problems.push(`hidden mark: ${mark}`);
    }
    if (story && !document.documentElement.hasAttribute('data-story-ends')) {
      const [head, text, way, picture] = [box(part('.le-story-head')), box(part('.le-body')), box(part('.le-way')), box(panel)];
      const apart = (one, two) => one.right <= two.left + 1 || two.right <= one.left + 1 || one.bottom <= two.top + 1 || two.bottom <= one.top + 1;
      if (![head, text, way].every(each => apart(each, picture))) problems.push('the card lies over the picture');
      if (!apart(text, way) || part('.le-body').scrollHeight > text.height + 1) problems.push('the buttons lie over the words');
      if (picture.height < 229) problems.push(`the picture is ${picture.height} high`);
      if (!document.documentElement.hasAttribute('data-story-asks') && way.bottom > innerHeight + 1) problems.push('the way on is below the screen');
      if (document.documentElement.scrollWidth > innerWidth) problems.push('the page scrolls sideways');
      if (box(part('.le-body')).width < part('.le-body').scrollWidth - 1) problems.push('the words scroll sideways');
    }
    return problems;
  },

  /* Counts from now on how far things move by themselves. */
  countShifts() {
    window.shifts = 0;
    new PerformanceObserver(list => { for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shifts += value; })
      .observe({ type: "layout-shift" });
  },

  /* Explore on a phone: whether all that a step marks is hidden, the count of tokens, and where the tabs end. */
  seen() {
    const deep = root => [...root.querySelectorAll('*')].flatMap(node => [node, ...(node.shadowRoot ? deep(node.shadowRoot) : [])]);
    const nodes = deep(document.querySelector('.st-key-stage'));
    const marked = nodes.filter(node => node.matches('.arc.at, .joint.newest, .attempt.now, .sym.hit') && node.checkVisibility() && node.getBoundingClientRect().width > 0);
    const foot = nodes.find(node => node.matches('.foot')).getBoundingClientRect();
    const bars = document.querySelector('[data-testid=stSidebar]').getBoundingClientRect();
    const count = nodes.find(node => node.matches('.all-tokens'));
    return {
      hidden: marked.length > 0 && !marked.some(node => { const { top, bottom } = node.getBoundingClientRect(); return top > 50 && bottom <= foot.top + 1; }),
      count: count.checkVisibility() && count.getBoundingClientRect().bottom <= bars.top + 1 ? count.textContent : '',
      bars: Math.round(bars.bottom),
    };
  },
})
