/* The line to a class, one for each tab, on every page: the teacher's or a phone's (explorer/ui/serving/classes.py).

   classLine()            it; its parts:
     code, leads          the letters, "" without a class; whether this tab leads it
     state                what the server said last: card, asks, look, together, open, shown, turn, here, answered; to the
                          teacher also bars, before, at, locked, seconds
     way                  the teacher's lessons: {key, title, minutes}
     problem              "", "lost" (no line), "none", "wait", "full", "over"
     begin(lessons, way, minutes), join(code), leave(), lead(changes), chose(choice), isHere(), after(key)

   "explorer-class" says that something changed. A card says where the reader is by window.explorerCard, { card, asks,
   lesson, number, titles }, and "explorer-card" (lesson/card.js). The letters and the key stay in this tab
   (sessionStorage); the server has no other mark of a phone. */

const CLASS_KEPT = "explorer class";
const CLASS_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ";
const PHONE_MS = 2000;
const TEACHER_MS = 500;
const PROBLEMS = { 403: "full", 404: "none", 429: "wait", 503: "many" };

class ClassLine {
  constructor() {
    this.state = null;
    this.problem = "";
    this.choice = null;
    try {
      this.kept = JSON.parse(sessionStorage.getItem(CLASS_KEPT)) ?? {};
    } catch {
      this.kept = {}; // nothing is kept in this browser
    }
    document.addEventListener("visibilitychange", () => !document.hidden && this.code && this.ask());
    window.addEventListener("explorer-card", () => this.moved());
    if (this.code) this.moved();
    this.say();
  }

  /* The card in view; none on another page. */
  get here() {
    return (/\/learn\/?$/.test(window.location.pathname) && window.explorerCard) || {};
  }

  moved() {
    const { card, asks } = this.here;
    const where = `${card} ${asks}`;
    if (where !== this.where) this.choice = null;
    this.where = where;
    if (!this.code) return;
    if (this.leads && card) this.lead({ card, asks, look: "" });
    else this.ask();
  }

  get code() {
    return this.kept.code ?? "";
  }

  get leads() {
    return Boolean(this.kept.leads);
  }

  get way() {
    return this.kept.way ?? [];
  }

  keep(changes) {
    this.kept = changes ? { ...this.kept, ...changes } : {};
    try {
      if (changes) sessionStorage.setItem(CLASS_KEPT, JSON.stringify(this.kept));
      else sessionStorage.removeItem(CLASS_KEPT);
    } catch {} // the class lasts as long as the page
  }

  say() {
    const { dataset } = document.documentElement;
    if (this.code) dataset.class = this.leads ? "leads" : "phone";
    else delete dataset.class;
    window.dispatchEvent(new CustomEvent("explorer-class"));
  }

  async post(code, body) {
    const answer = await fetch(new URL(`./_class/${code}`, window.location.href), { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    this.problem = PROBLEMS[answer.status] ?? (answer.ok ? "" : "lost");
    return answer.ok ? answer.json() : null;
  }

  async begin(all, way, minutes) {
    const random = crypto.getRandomValues(new Uint32Array(1))[0];
    const given = await this.post(CLASS_LETTERS[random % CLASS_LETTERS.length], {}).catch(() => null);
    if (!given) this.problem ||= "lost";
    else this.enter({ code: given.code, key: given.key, leads: true, all, way, minutes }, given);
    this.say();
    return Boolean(given);
  }

  async join(letters) {
    const code = letters.toUpperCase();
    const given = /^[A-HJ-NP-Z]{4}$/.test(code) ? await this.post(code, {}).catch(() => null) : ((this.problem = "none"), null);
    if (given) this.enter({ code, key: given.key, leads: false }, given);
    else this.problem ||= "lost";
    this.say();
    return Boolean(given);
  }

  enter(kept, { key, ...state }) {
    this.keep(kept);
    this.state = state;
    this.follow();
    this.later();
  }

  leave(problem = "") {
    clearTimeout(this.timer);
    this.keep(null);
    this.state = null;
    this.problem = problem;
    this.say();
  }

  later() {
    clearTimeout(this.timer);
    const ms = this.leads ? TEACHER_MS : PHONE_MS * (0.9 + Math.random() / 5); // phones spread
    this.timer = setTimeout(() => this.ask(), document.hidden ? 5 * ms : ms);
  }

  /* One question at a time; what comes up meanwhile goes with the next one. Returns the answer to it. */
  ask(more = {}) {
    this.waits = { ...this.waits, ...more, set: { ...this.waits?.set, ...more.set } };
    clearTimeout(this.timer);
    this.queued ??= Promise.resolve(this.asking).then(() => {
      this.queued = null;
      this.asking = this.send().finally(() => this.code && !this.queued && this.later());
      return this.asking;
    });
    return this.queued;
  }

  async send() {
    const { kept, waits } = this;
    this.waits = {};
    const { card, asks } = this.here;
    const said = this.leads ? waits : { card, asks, choice: this.choice, turn: this.turn };
    let given = null;
    try {
      given = await this.post(this.code, { key: kept.key, ...said });
    } catch {
      this.problem = "lost";
    }
    if (this.kept.key !== kept.key) return given; // it was left meanwhile
    if (!given) {
      if (this.problem === "none") this.leave("over");
      else if (this.leads) this.waits = { ...waits, ...this.waits, set: { ...waits.set, ...this.waits.set } };
      this.say();
      return null;
    }
    const { key, ...state } = given;
    if (this.leads && !("bars" in state)) {
      // the server forgot the class, and somebody else has its letters
      this.leave("over");
      return null;
    }
    if (key && !this.leads) this.keep({ key }); // it forgot this phone, and let it in again
    this.state = state;
    this.assume(this.waits.set); // what the teacher did while the server answered
    this.follow();
    this.say();
    return given;
  }

  /* The teacher changes something: card, asks, look, together, open, shown, locked; again. */
  lead(changes) {
    this.assume(changes);
    return this.ask({ set: changes });
  }

  /* Shows at once what the server will say of these changes. */
  assume(changes = {}) {
    const { state } = this;
    if (!state) return;
    const { card = state.card, asks = state.asks } = changes;
    const isOther = card !== state.card || asks !== state.asks;
    Object.assign(state, isOther && { open: true, shown: false, answered: 0, bars: {}, before: {} }, changes);
  }

  chose(choice) {
    if (!this.code || this.leads) return;
    this.choice = choice;
    this.turn = this.state?.turn;
    this.ask({ now: true });
  }

  /* Whether the card in view is the teacher's, with the same question. */
  isHere() {
    const { here, state } = this;
    return Boolean(this.code && state && here.asks && state.card === here.card && state.asks === here.asks);
  }

  /* Goes where the class goes, when that has changed. */
  follow() {
    const { look, card, together } = this.state;
    const wanted = look ? `./${look}` : together && card ? `./learn?lesson=${card.replace(" ", "&card=")}` : "";
    if (this.leads || !wanted || wanted === this.kept.followed) return;
    this.keep({ followed: wanted });
    const url = new URL(wanted, window.location.href);
    if (url.origin === window.location.origin && url.href !== window.location.href) openInApp(url);
  }

  /* The lesson after this one on the teacher's way; undefined where that says nothing. */
  after(key) {
    const at = this.leads ? this.way.findIndex((each) => each.key === key) : -1;
    return at < 0 ? undefined : this.way[at + 1];
  }
}

function classLine() {
  if (window.explorerApp !== undefined) return null; // a saved page
  window.explorerClass ??= new ClassLine();
  return window.explorerClass;
}
