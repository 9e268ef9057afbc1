/* Keys of the page: they drive the stepper in view while no field, list or button elsewhere has the focus. */

const onPage = new Set();

if (typeof window !== "undefined") {
  window.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || !onPage.size) return;
    const active = document.activeElement;
    if (!onGround() && !active.closest?.(".st-key-overview, .st-key-stage, .st-key-prompt-top, .st-key-learn_top, .st-key-learn_card")) return;
    const target = event.composedPath()[0];
    if (target instanceof HTMLElement && target.closest(".stepper, .tokens, .ribbon")) return; // they have keys of their own
    const stepper = [...onPage].find((each) => each.isSeen());
    if (stepper) stepper.onKey(event);
  });
}

/* What a key does, beside the arrows: presenters' remotes send PageUp and PageDown. In a lecture they lead on to the next
   stage (overview.js). */
function pageActions(stepper) {
  const turn = (by) => {
    const asks = stepper.prediction.step !== null;
    const atEnd = !asks && stepper.wanted === (by > 0 ? stepper.player.last : 0);
    if (atEnd && document.documentElement.hasAttribute("data-lecture")) window.dispatchEvent(new CustomEvent("explorer-past", { detail: by }));
    else stepper.move(by);
  };
  const actions = {
    PageDown: () => turn(1),
    PageUp: () => turn(-1),
    p: () => stepper.prediction.toggle(),
  };
  stepper.script?.phases.slice(0, 9).forEach((phase, index) => {
    actions[String(index + 1)] = () => stepper.go(stepper.stopFrom(phase.from));
  });
  return actions;
}
