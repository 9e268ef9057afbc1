/* The parts of the page Learn. `view` says which one is drawn: head, list, row, card, paper, result, next, prompt. */

const VIEWS = { head: LessonList, list: LessonList, row: LessonList, card: CardView, paper: Paper, result: Result, next: Next, prompt: PromptRows };

/* What the panel says, too, is in the language of its card: it decides how a screen reader speaks, which glyphs a Han
   character has, and where lines may break. */
const PANELS = ".st-key-learn, .st-key-paper";

class LessonPart {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
  }

  destroy() {
    this.view?.destroy();
  }

  update(component) {
    applyTheme(this.root);
    const kind = VIEWS[component.data.view];
    if (!(this.view instanceof kind)) {
      this.view?.destroy();
      this.root.replaceChildren();
      this.view = new kind(this.root);
    }
    const { lesson, language = lesson?.language } = component.data;
    if (language) for (const node of [this.root, document.querySelector(PANELS)]) node?.setAttribute("lang", language);
    this.view.update(component);
    this.root.hidden = false;
    this.root.dataset.drawn = component.data.view;
  }
}

const lessonParts = mounts(true);

export default function (component) {
  lessonParts.get(component, () => new LessonPart(component)).update(component);
  return () => lessonParts.drop(component.parentElement);
}
