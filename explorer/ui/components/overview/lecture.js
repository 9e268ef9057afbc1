/* Lecture mode: text, symbols, queue and code fill the screen, in type that the last row can read. It belongs to the page,
   so it begins on any stage: F or the button, and Esc or F leaves it. B makes the screen black.

   The page itself goes to full screen, and everything but the text and the stage is hidden (pages.css, by the attribute
   data-lecture). All sizes grow by one factor, so nothing changes its place: the page is laid out for 1040 × 585 pixels,
   and its smallest type, 13 pixels there, has 24 on a screen of 1920 × 1080. */

const LECTURE_WIDTH = 1040;
const LECTURE_HEIGHT = 585;

class Lecture {
  constructor(changed) {
    this.changed = changed;
    this.resize = () => {
      const across = window.innerWidth / LECTURE_WIDTH;
      const down = window.innerHeight / LECTURE_HEIGHT;
      document.documentElement.style.setProperty("--lecture-zoom", String(Math.max(0.7, Math.min(across, down))));
    };
    this.left = () => document.fullscreenElement === null && this.stop();
    this.pressed = (event) => this.onKey(event);
    window.addEventListener("keydown", this.pressed);
  }

  destroy() {
    window.removeEventListener("keydown", this.pressed);
    if (this.on) this.stop();
  }

  get on() {
    return document.documentElement.hasAttribute("data-lecture");
  }

  onKey(event) {
    if (event.defaultPrevented || ["text", "select"].includes(typingIn(event))) return;
    const actions = { f: () => this.toggle() };
    if (this.on) Object.assign(actions, { b: () => this.black(), Escape: () => this.stop() });
    const action = actions[keyName(event)];
    if (!action) return;
    event.preventDefault();
    action();
  }

  toggle() {
    if (this.on) this.stop();
    else this.begin();
  }

  begin() {
    document.documentElement.setAttribute("data-lecture", "");
    releaseFocus();
    this.resize();
    window.addEventListener("resize", this.resize);
    document.addEventListener("fullscreenchange", this.left);
    // A browser may refuse; then the page fills its window.
    document.documentElement.requestFullscreen?.().catch(() => {});
    document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
    this.changed(true);
  }

  stop() {
    document.documentElement.removeAttribute("data-lecture");
    document.documentElement.removeAttribute("data-black");
    window.removeEventListener("resize", this.resize);
    document.removeEventListener("fullscreenchange", this.left);
    if (document.fullscreenElement) document.exitFullscreen();
    this.changed(false);
  }

  black() {
    document.documentElement.toggleAttribute("data-black");
  }
}

/* The keys are the stepper's now, not those of the button that was pressed. */
function releaseFocus() {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  at?.blur?.();
}
