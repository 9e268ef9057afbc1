/* A prompt, saved: the stepper that plays its template. The address has `level` and `step`. */

function show(main) {
  const place = make("div", { class: "st-key-stage" });
  main.append(head(PAGE.says), place, foot());
  stepperPanel(place, PAGE.script, PAGE.on);
  onMessages(({ level, step }) => {
    if (level) goToLevel(level);
    if (step !== undefined) window.dispatchEvent(new CustomEvent("explorer-step", { detail: { parameter: "step", step } }));
  });
  tellSteps();
  tell({ type: "ready" });
}
