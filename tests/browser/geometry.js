// What the eye would find wrong with where things are drawn, from their boxes alone: texts and controls that lie on one another, texts that an
// edge cuts with nothing to scroll, texts under a ground. Shadow roots are looked into. Gives a sentence for each finding, with its pixels.
async () => {
  for (const each of document.getAnimations()) if (each.effect?.getComputedTiming().endTime !== Infinity) each.finish();
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const CONTROLS = "button, a[href], input:not([type=range], [type=file]), select, textarea, summary, [role=button], [role=tab], [role=radio], [role=option], [role=checkbox]";
  const ALL = { left: -1e6, top: -1e6, right: 1e6, bottom: 1e6 };
  const within = (a, b) => ({ left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom) });
  // a mirror of a field's text, and a character over the parts of its tokens
  const OVER = ".pr-back, .glyph";
  const wide = (box) => box.right - box.left;
  const high = (box) => box.bottom - box.top;
  const drawn = (box) => wide(box) > 1 && high(box) > 1;
  const parentOf = (node) => node.assignedSlot ?? node.parentNode ?? node.host ?? null;
  const contains = (outer, inner) => {
    for (let node = inner; node; node = parentOf(node)) if (node === outer) return true;
    return false;
  };
  const nameOf = (element) => {
    const own = element.getAttribute?.("class")?.trim().split(/\s+/).filter((name) => !/^(st-emotion|e[a-z0-9]{8,})/.test(name)).slice(0, 2).join(".");
    const near = element.closest?.("[class*=st-key-]")?.className.match(/st-key-[\w-]+/)?.[0];
    return `${element.localName}${own ? `.${own}` : ""}${near ? ` in ${near}` : ""}`;
  };
  const texts = [], controls = [], found = new Set();

  const enter = (element, around) => {
    const style = getComputedStyle(element);
    if (style.display === "none" || Number(style.opacity) < 0.05 || style.contentVisibility === "hidden") return;
    const box = element.getBoundingClientRect();
    if (element.matches("[aria-expanded=false][data-testid=stSidebar], [inert]") || element.querySelector?.(":scope > [data-testid=stSidebarContent]") && box.right <= 0) return;
    if (style.clipPath.startsWith("inset(50%") || (style.overflow === "hidden" && box.width <= 1.5 && box.height <= 1.5 && element.childNodes.length)) return;
    const visible = style.visibility === "visible";
    let { clip, edges, placed, layer, stuck } = around;
    if (element.matches("[popover], dialog")) [clip, edges, layer] = [ALL, [], element]; // in the top layer
    else if (style.position === "fixed") [clip, edges, layer, stuck] = [ALL, [], element, true];
    else if (style.position === "absolute") ({ clip, edges } = placed);
    if (style.position === "sticky") [layer, stuck] = [element, true];
    if (element.localName === "svg" || !element.ownerSVGElement) {
      const [x, y] = [style.overflowX !== "visible", style.overflowY !== "visible"];
      if (x || y) {
        const inner = {
          left: x ? box.left + element.clientLeft : -1e6, right: x ? box.right - (box.width - element.clientWidth - element.clientLeft || 0) : 1e6,
          top: y ? box.top + element.clientTop : -1e6, bottom: y ? box.bottom - (box.height - element.clientHeight - element.clientTop || 0) : 1e6,
        };
        if (element.localName === "svg" || !element.clientWidth) Object.assign(inner, { left: x ? box.left : -1e6, right: x ? box.right : 1e6, top: y ? box.top : -1e6, bottom: y ? box.bottom : 1e6 });
        // whoever says that more follows, or lets it scroll, cuts on purpose
        const scrolled = (value) => value === "auto" || value === "scroll";
        if (scrolled(style.overflowY) && visible && element.scrollHeight > element.clientHeight + 2 && element.clientHeight < 30 && element.clientWidth) found.add(`squeezed: ${nameOf(element)} shows ${element.clientHeight} px of ${element.scrollHeight}`);
        const says = style.textOverflow === "ellipsis" || style.maskImage !== "none" || style.webkitLineClamp !== "none";
        const scrolls = [style.overflowX, style.overflowY].map(scrolled);
        edges = [...edges, { element, inner, wraps: style.flexWrap === "wrap", x: x && !scrolls[0] && !says, y: y && !scrolls[1] && !says, scrolls: scrolls.some(Boolean) }];
        clip = within(clip, inner);
      }
    }
    if (style.position !== "static" || style.transform !== "none" || style.containerType !== "normal") placed = { clip, edges };
    if (visible && element.matches(CONTROLS)) {
      const room = { left: box.left, top: box.top, right: box.right, bottom: box.bottom };
      const painted = style.backgroundColor !== "rgba(0, 0, 0, 0)" || parseFloat(style.borderTopWidth) > 0 || style.boxShadow !== "none";
      // what a field keeps free for others
      if (element.matches("input, textarea")) for (const side of ["Left", "Top"]) room[side.toLowerCase()] += parseFloat(style[`padding${side}`]);
      if (element.matches("input, textarea")) for (const side of ["Right", "Bottom"]) room[side.toLowerCase()] -= parseFloat(style[`padding${side}`]);
      if (painted && drawn(within(room, clip))) controls.push({ element, box: within(room, clip), layer, stuck });
    }
    const inside = { clip, edges, placed, layer, stuck };
    for (const node of (element.shadowRoot ?? (element.localName === "slot" && element.assignedNodes().length ? { childNodes: element.assignedNodes() } : element)).childNodes) {
      if (node.nodeType === 1) enter(node, inside);
      else if (node.nodeType === 3 && visible && node.data.trim() && style.color !== "rgba(0, 0, 0, 0)" && parseFloat(style.fontSize) > 1) {
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const whole of range.getClientRects()) {
          // where the ink of a line may be: over its capitals is room for accents
          const line = { left: whole.left, right: whole.right, top: whole.top + whole.height * 0.2, bottom: whole.bottom - whole.height * 0.05 };
          if (!drawn(line)) continue;
          texts.push({ element, text: node.data.trim().slice(0, 40), line, box: within(line, clip), edges, layer, stuck, touched: style.pointerEvents !== "none" });
        }
      }
    }
  };
  enter(document.body, { clip: ALL, edges: [], placed: { clip: ALL, edges: [] }, layer: null, stuck: false });

  const pixels = (box) => `${Math.round(wide(box))} × ${Math.round(high(box))} px`;
  for (const { element, text, line, edges } of texts) {
    let left = line; // of the line, what the boxes around it that scroll show
    for (const edge of edges.toReversed()) {
      const lost = Math.max(edge.x ? Math.max(edge.inner.left - left.left, left.right - edge.inner.right) : 0, edge.y ? Math.max(edge.inner.top - left.top, left.bottom - edge.inner.bottom) : 0);
      if (lost > 2 && edge.wraps && !drawn(within(left, edge.inner))) break; // shows what fits whole, and the rest not at all
      if (lost > 2) { found.add(`cut: “${text}” (${nameOf(element)}) by ${nameOf(edge.element)}, ${Math.round(lost)} px`); break; }
      left = within(left, edge.inner);
      if (!drawn(left)) break;
    }
  }
  const seen = [...texts.filter((each) => drawn(each.box)), ...controls].sort((a, b) => a.box.top - b.box.top);
  for (const [index, one] of seen.entries()) {
    for (let next = index + 1; next < seen.length && seen[next].box.top < one.box.bottom; next++) {
      const other = seen[next];
      if (one.layer !== other.layer || one.element.closest(OVER) || other.element.closest(OVER) || contains(one.element, other.element) || contains(other.element, one.element)) continue;
      const both = within(one.box, other.box);
      if (wide(both) > 2 && high(both) > 1.2) found.add(`overlap: “${one.text ?? "control"}” (${nameOf(one.element)}) and “${other.text ?? "control"}” (${nameOf(other.element)}), ${pixels(both)}`);
    }
  }
  const deep = (x, y) => {
    let hit = document.elementFromPoint(x, y);
    while (hit?.shadowRoot?.elementFromPoint(x, y) && hit.shadowRoot.elementFromPoint(x, y) !== hit) hit = hit.shadowRoot.elementFromPoint(x, y);
    return hit;
  };
  const opaque = (element, until) => {
    for (let node = element; node && node !== until && !contains(node, until); node = parentOf(node)) {
      if (!(node instanceof Element)) continue;
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(node);
      const alpha = backgroundColor === "transparent" ? 0 : Number(backgroundColor.match(/(?:,|\/)\s*([\d.]+)\)$/)?.[1] ?? 1);
      if (Number(opacity) > 0.3 && (alpha > 0.5 || backgroundImage !== "none")) return node;
    }
    return null;
  };
  for (const { element, text, box, stuck, touched } of texts) {
    if (!touched || stuck || !drawn(box)) continue;
    for (const share of [0.1, 0.5, 0.9]) {
      const [x, y] = [box.left + wide(box) * share, (box.top + box.bottom) / 2];
      if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
      const hit = deep(x, y);
      if (!hit || contains(hit, element) || contains(element, hit)) continue;
      let pinned = false;
      for (let node = hit; node; node = parentOf(node)) if (node instanceof Element && (/sticky|fixed/.test(getComputedStyle(node).position) || node.matches("[popover], dialog"))) pinned = true;
      const ground = !pinned && opaque(hit, element);
      if (ground) { found.add(`covered: “${text}” (${nameOf(element)}) by ${nameOf(ground)}`); break; }
    }
  }
  for (const each of [document.documentElement, document.querySelector("[data-testid=stMain]")]) {
    if (each && each.scrollWidth - each.clientWidth > 1) found.add(`sideways: the page scrolls by ${each.scrollWidth - each.clientWidth} px`);
  }
  return [...found];
}
