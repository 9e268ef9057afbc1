/* What a page does for a saved page in a frame, each time the frame is loaded: it hides what the frame replaces, and the
   frame gets the height of its content, unless its height is fixed. A notebook that scrolls may take a frame out and put
   it back, which loads it anew: it goes to the step where it was. */
(frame, replaced, fixed) => {
  const say = (message) => frame.contentWindow.postMessage({ explorer: 1, ...message }, "*");
  const stood = frame.explorerStood;
  if (stood === undefined) {
    frame.explorerStood = null;
    window.addEventListener("message", ({ source, data }) => {
      if (source !== frame.contentWindow || data?.explorer !== 1) return;
      if (data.type === "height" && !fixed) frame.style.height = `${data.height}px`;
      if (data.type === "step") frame.explorerStood = { stage: data.stage, step: data.step };
      if (replaced) replaced.hidden = true;
    });
  }
  if (!fixed) say({ type: "fit" });
  if (stood) say({ type: "go", ...stood });
}
