/* Lecture mode: text, symbols, queue and code fill the screen, in type that the last row can read.

   The page itself goes to full screen and everything but the text, the stages and the stepper is hidden (pages.css, by
   the attribute data-lecture). All sizes grow by one factor, so nothing changes its place. */

const LECTURE_WIDTH = 1216;
const LECTURE_HEIGHT = 680;
const LECTURE_MARGIN = 32;

class Lecture {
  constructor() {
    this.resize = () => {
      const across = (window.innerWidth - 2 * LECTURE_MARGIN) / LECTURE_WIDTH;
      const down = (window.innerHeight - LECTURE_MARGIN) / LECTURE_HEIGHT;
      document.documentElement.style.setProperty("--lecture-zoom", String(Math.max(0.7, Math.min(across, down))));
    };
    this.left = () => document.fullscreenElement === null && this.stop();
  }

  get on() {
    return document.documentElement.hasAttribute("data-lecture");
  }

  toggle() {
    if (this.on) this.stop();
    else this.begin();
  }

  begin() {
    document.documentElement.setAttribute("data-lecture", "");
    this.resize();
    window.addEventListener("resize", this.resize);
    document.addEventListener("fullscreenchange", this.left);
    // A browser may refuse; then the page fills its window.
    document.documentElement.requestFullscreen?.().catch(() => {});
    window.scrollTo(0, 0);
  }

  stop() {
    document.documentElement.removeAttribute("data-lecture");
    document.documentElement.removeAttribute("data-black");
    window.removeEventListener("resize", this.resize);
    document.removeEventListener("fullscreenchange", this.left);
    if (document.fullscreenElement) document.exitFullscreen();
  }

  black() {
    document.documentElement.toggleAttribute("data-black");
  }
}
