/* The work queue as a list in pop order. Row: [text, order, value, meter, left, right, stale, size]; sorted by
   (order, key). Ten rows are drawn, the others counted. */

const QUEUE_ROWS = 10;

class Queue extends Panel {
  constructor(view, track) {
    super(view, track.title, track.note);
    this.track = track;
    this.order = new KeyOrder((row) => row[1]);
    this.list = make("ol", { class: "queue" });
    this.more = make("p", { class: "none more" });
    this.idle = make("p", { class: "none idle" });
    this.body.append(this.list, this.more, this.idle);
    this.lines = Array.from({ length: QUEUE_ROWS }, () => this.line());
    this.list.append(...this.lines.map((line) => line.node));
  }

  start() {
    this.use = this.view.player.fullness(this.track.index);
    this.stale = 0;
    this.idleShown = null;
    const lines = Math.min(QUEUE_ROWS, this.use.most);
    this.list.style.setProperty("--lines", lines);
    this.more.hidden = this.use.most <= QUEUE_ROWS;
    // Columns as wide as their widest content in the script.
    const widest = { value: 1, pair: 1 };
    for (const [, row] of this.view.player.puts(this.track.index)) {
      if (!row) continue;
      widest.value = Math.max(widest.value, (this.view.texts[row[2]] ?? "").length);
      widest.pair = Math.max(widest.pair, pairWords(row).length);
    }
    this.list.style.setProperty("--value", `${widest.value}ch`);
    this.list.style.setProperty("--pair", `${widest.pair}ch`);
  }

  line() {
    const line = {
      rank: make("span", { class: "n" }),
      text: make("bdi", { class: "t" }),
      bar: make("span"),
      value: make("span", { class: "v" }),
      pair: make("span", { class: "lr" }),
    };
    line.meter = make("span", { class: "meter", attrs: { "aria-hidden": "true" } }, line.bar);
    line.node = make("li", {}, line.rank, line.text, line.meter, line.value, line.pair);
    return line;
  }

  render(frame) {
    const keys = this.order.sync(this.track);
    const idle = keys.length === 0 && idlePhase(this.use, frame.step);
    setClass(this.body, "is-idle", idle);
    if (idle && this.idleShown !== idle) this.idle.replaceChildren(...idleLine(this.view, this.use, frame.step));
    else if (!idle && keys.length === 0 && this.idleShown !== "") this.idle.textContent = inWords("Empty for the moment.");
    this.idleShown = keys.length === 0 ? idle || "" : null;
    this.idle.hidden = keys.length > 0;
    let stale = 0;
    for (const row of this.track.rows.values()) stale += row[6] ? 1 : 0;
    setText(this.count, this.countLine(keys.length, stale));
    setText(this.more, keys.length > QUEUE_ROWS ? inWords("and {0} more", formatNumber(keys.length - QUEUE_ROWS)) : "");
    const fresh = this.view.player.justPut(this.track.index);
    this.lines.forEach((line, index) => this.show(line, index, keys[index], fresh));
  }

  countLine(entries, stale) {
    const staleWords = stale ? `, ${inWords("{0} out of date", formatNumber(stale))}` : "";
    const meter = entries ? ` · ${inWords("bar: {0}", inWords(this.track.measure).toLowerCase())}` : "";
    return counted(entries, "entry", "entries") + staleWords + meter;
  }

  show(line, index, key, fresh) {
    const row = key === undefined ? undefined : this.track.rows.get(key);
    line.node.hidden = row === undefined;
    if (!row) return;
    const [text, , value, meter, , , stale] = row;
    setText(line.rank, index === 0 ? "▸" : String(index + 1));
    showText(line.text, this.view.texts, text, this.view.labels);
    this.view.showNumber(line.value, value);
    setText(line.pair, pairWords(row));
    if (line.meterShown !== meter) line.bar.style.width = `${meter}%`;
    line.meterShown = meter;
    setClass(line.node, "stale", stale);
    setClass(line.node, "new", fresh.has(key) && !stale);
  }
}

function pairWords([, , , , left, right, , size]) {
  const pair = left < 0 ? "" : right < 0 ? String(left) : `${left}+${right}`;
  return size === undefined ? pair : `${pair} · ${size} B`;
}
