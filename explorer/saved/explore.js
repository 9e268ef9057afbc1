/* Explore, saved. A page of one stage has that stage alone. */

function show(main) {
  main.append(head(PAGE.part));
  const panel = new StagesPanel(main, PAGE);
  main.append(foot());
  onMessages(({ level, stage, step }) => {
    if (level) goToLevel(level);
    panel.go({ stage, step });
  });
  tellSteps();
  tell({ type: "ready", stages: Object.keys(PAGE.sections), stage: panel.focus });
}
