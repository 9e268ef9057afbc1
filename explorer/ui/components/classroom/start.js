/* Before a class begins: the code, the letters and the count at the left, the lessons of its minutes at the right.
   For a phone: the field for the letters, and what it sees until the first card. */

const MINUTES = [30, 45, 60, 90];
const TALK = 0.15; // the share of the time that is kept free
const WAY_ORDER = [1, 2, 3, 4, 5, 7, 12, 9, 8, 6, 10, 11, 13, 14, 15, 16, 17, 18, 19]; // which lessons come first into the time
const DOTS = 60;

/* The lessons for so many minutes, in the order of the list. */
function wayOf(lessons, minutes) {
  const chosen = new Set();
  let left = minutes * (1 - TALK);
  for (const number of WAY_ORDER) {
    const lesson = lessons[number - 1];
    if (!lesson || lesson.minutes > left) continue;
    chosen.add(lesson.key);
    left -= lesson.minutes;
  }
  return chosen;
}

function qrCode(text) {
  const { data, size } = encodeQr(text, { ecc: "M", border: 2 });
  const make_ = (tag, attrs) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attrs)) node.setAttribute(name, value);
    return node;
  };
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  const svg = make_("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": text, class: "cl-qr" });
  svg.append(make_("path", { fill: "#fff", d: `M0 0h${size}v${size}h-${size}z` }), make_("path", { fill: "#111", "shape-rendering": "crispEdges", d: path }));
  return svg;
}

function joinAddress(code) {
  return new URL(`./learn?class=${code}`, window.location.href).href;
}

function lettersOf(code) {
  return make("p", { class: "cl-letters", attrs: { "aria-label": [...code].join(" "), role: "img" } }, ...[...code].map((each) => make("span", { text: each, attrs: { "aria-hidden": "true" } })));
}

function isLocal() {
  return ["localhost", "127.0.0.1", "[::1]"].includes(window.location.hostname);
}

class ClassStart {
  constructor(line, close) {
    this.line = line;
    this.close = close;
    this.node = make("div", { class: "cl-start" });
  }

  /* lessons: { key, title, minutes }, in the order of the list. */
  draw(lessons) {
    const { line } = this;
    const drawn = JSON.stringify([line.code, lessons]);
    if (drawn === this.drawn) return this.count();
    this.drawn = drawn;
    this.lessons = lessons;
    this.minutes = line.kept.minutes ?? 60;
    this.chosen = line.way.length ? new Set(line.way.map(({ key }) => key)) : wayOf(lessons, this.minutes);
    const place = make("b", { text: window.location.host });
    this.number = make("strong", { class: "num" });
    this.are = make("span");
    this.dots = make("p", { class: "cl-dots", attrs: { "aria-hidden": "true" } });
    const warning = isLocal() ? [make("p", { class: "cl-warning", text: inWords("This address is this computer alone. Open the explorer under an address that phones reach, too.") })] : [];
    this.left = make("section", { class: "cl-join" },
      make("h1", { text: inWords("Join the class") }),
      make("p", {}, ...aroundNode(inWords("Point your camera at the code, or open {0}, Learn, Join."), place)), ...warning,
      make("div", { class: "cl-code" }, qrCode(joinAddress(line.code)), make("div", { attrs: { role: "status" } }, this.number, this.are, this.dots)),
      lettersOf(line.code),
      make("p", { class: "cl-note", text: `${inWords("No names and no accounts. This server counts answers while the class lasts, and forgets them when you end it.")} ${inWords("What each student has done stays in the student's own browser.")}` }));
    const select = make("select", { attrs: { "aria-label": inWords("Minutes") }, on: { change: () => {
      this.minutes = Number(select.value);
      this.chosen = wayOf(lessons, this.minutes);
      this.drawWay();
    } } }, ...MINUTES.map((each) => make("option", { text: inWords("{0} min", each), attrs: { value: String(each), ...(each === this.minutes && { selected: "" }) } })));
    this.title = make("h2");
    this.parts = make("p", { class: "cl-parts", attrs: { "aria-hidden": "true" } });
    this.sum = make("p", { class: "cl-sum num" });
    this.list = make("ol", {}, ...lessons.map((each, index) => {
      const box = make("input", { attrs: { type: "checkbox" }, on: { change: () => {
        if (box.checked) this.chosen.add(each.key);
        else this.chosen.delete(each.key);
        this.drawWay();
      } } });
      return make("li", {}, make("label", {}, box, make("span", { class: "num", text: String(index + 1) }), make("b", { text: each.title }), make("small", { class: "num", text: inWords("{0} min", each.minutes) })));
    }));
    this.go = make("button", { class: "btn main", attrs: { type: "button" }, on: { click: () => this.begin() } });
    const fill = make("button", { class: "btn", text: inWords("Fill the screen"), attrs: { type: "button", "aria-pressed": "false" }, on: { click: () => fill.setAttribute("aria-pressed", String(this.node.classList.toggle("filled"))) } });
    const quit = make("button", { class: "btn", text: inWords("End the class"), attrs: { type: "button" }, on: { click: () => this.close("end") } });
    this.right = make("section", { class: "cl-plan" },
      make("header", {}, this.title, select), this.parts, this.sum, this.list,
      make("div", { class: "cl-pace" }, make("span", { text: inWords("Pace") }), paceOf(line)),
      make("div", { class: "cl-go" }, fill, quit, this.go));
    this.node.replaceChildren(this.left, this.right);
    this.drawWay();
    this.count();
  }

  get way() {
    return this.lessons.filter(({ key }) => this.chosen.has(key));
  }

  drawWay() {
    const { way, minutes } = this;
    const sum = way.reduce((total, each) => total + each.minutes, 0);
    setText(this.title, inWords("The way through {0} minutes", minutes));
    this.parts.replaceChildren(...way.map((each) => {
      const part = make("i");
      part.style.flexGrow = each.minutes;
      return part;
    }));
    if (sum < minutes) {
      const rest = make("i", { class: "free" });
      rest.style.flexGrow = minutes - sum;
      this.parts.append(rest);
    }
    const lessons = counted(way.length, "lesson", "lessons");
    setText(this.sum, `${lessons}, ${inWords("{0} min", sum)} · ${sum > minutes ? inWords("{0} min too many", sum - minutes) : inWords("{0} min to talk", minutes - sum)}`);
    [...this.list.querySelectorAll("input")].forEach((box, index) => {
      box.checked = this.chosen.has(this.lessons[index].key);
      setClass(box.closest("li"), "off", !box.checked);
    });
    const first = way[0];
    setText(this.go, first ? inWords("Begin with lesson {0}", this.lessons.indexOf(first) + 1) : inWords("Choose a lesson"));
    this.go.disabled = !first;
    this.line.keep({ way, minutes });
  }

  begin() {
    const [first] = this.way;
    this.line.keep({ begun: true });
    openInApp(new URL(`./learn?lesson=${first.key}`, window.location.href));
    this.close();
  }

  count() {
    const here = this.line.state?.here ?? 0;
    setText(this.number, formatNumber(here));
    setText(this.are, here === 1 ? inWords("is here") : inWords("are here"));
    if (this.dots.children.length !== Math.min(here, DOTS)) this.dots.replaceChildren(...Array.from({ length: Math.min(here, DOTS) }, () => make("i")));
  }
}

function paceOf(line) {
  const name = `cl-pace-${crypto.getRandomValues(new Uint32Array(1))[0]}`;
  const node = make("div", { class: "cl-choice", attrs: { role: "radiogroup", "aria-label": inWords("Pace") } });
  for (const [together, words] of [[true, inWords("All at my card")], [false, inWords("Each at their own")]]) {
    const input = make("input", { attrs: { type: "radio", name }, on: { change: () => line.lead({ together }) } });
    input.checked = (line.state?.together ?? true) === together;
    node.append(make("label", {}, input, make("span", { text: words })));
  }
  return node;
}

/* The letters, and what a phone is told. */
class ClassJoin {
  constructor(line, close) {
    this.line = line;
    this.close = close;
    this.node = make("div", { class: "cl-enter" });
  }

  notes() {
    return make("ul", { class: "cl-notes" }, ...[inWords("No name, no account."), inWords("The board shows how many chose what."), inWords("What you have done stays in this browser.")].map((text) => make("li", { text })));
  }

  draw() {
    const { line } = this;
    const kind = line.code ? "waits" : line.problem === "over" ? "over" : "letters";
    if (kind === this.kind) return this.update();
    this.kind = kind;
    const back = make("button", { class: "btn", text: line.code ? inWords("Leave the class") : inWords("Back to the lessons"), attrs: { type: "button" }, on: { click: () => this.close("leave") } });
    this.told = make("p", { class: "cl-told", attrs: { role: "status" } });
    if (kind === "letters") {
      this.field = make("input", { class: "cl-field", attrs: { type: "text", maxlength: "4", autocapitalize: "characters", autocomplete: "off", autocorrect: "off", spellcheck: "false", "aria-label": inWords("Four letters from the board") }, on: { input: () => this.typed() } });
      this.boxes = make("p", { class: "cl-letters", attrs: { "aria-hidden": "true" } }, ...Array.from({ length: 4 }, () => make("span")));
      this.node.replaceChildren(make("h1", { text: inWords("Join a class") }), make("p", { text: inWords("Four letters from the board, or point the camera at the code.") }), make("div", { class: "cl-typed" }, this.boxes, this.field), this.told, this.notes(), back);
      this.drawBoxes();
    } else {
      this.node.replaceChildren(make("h1", { text: kind === "over" ? inWords("The class is over.") : inWords("You are in.") }), ...(line.code ? [lettersOf(line.code)] : []), this.told, this.notes(), back);
    }
    this.update();
  }

  update() {
    const { line, kind } = this;
    const said = { none: inWords("No class has these letters. They are on the board."), wait: inWords("Too many wrong letters. Wait a minute, then try again."), full: inWords("This class lets nobody else in."), many: inWords("This server has no room for another class."), lost: inWords("No line to the server.") };
    if (kind === "waits") setText(this.told, line.problem === "lost" ? said.lost : inWords("{0} here. The first card comes from the board.", formatNumber(line.state?.here ?? 1)));
    else if (kind === "letters") setText(this.told, (this.field.value.length % 4 === 0 && said[line.problem]) || "");
    else setText(this.told, inWords("The server has forgotten its answers."));
  }

  drawBoxes() {
    [...this.boxes.children].forEach((box, index) => {
      setText(box, this.field.value[index] ?? "");
      setClass(box, "here", index === Math.min(this.field.value.length, 3));
    });
  }

  async typed() {
    const value = this.field.value.toUpperCase().replace(/[^A-Z]/g, "").slice(0, 4);
    if (value !== this.field.value) this.field.value = value;
    this.line.problem = "";
    this.drawBoxes();
    this.update();
    if (value.length === 4) await this.line.join(value);
  }
}
