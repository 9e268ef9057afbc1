/* What a page does for a saved page in a frame, once the frame is loaded: it gives the frame the height of its content,
   unless that is fixed, and hides what the frame replaces. The page in it may begin later, and then says so. */
(frame, replaced, fixed) => {
  if (replaced) replaced.hidden = true;
  if (fixed) return;
  const ask = () => frame.contentWindow.postMessage({ explorer: 1, type: "fit" }, "*");
  window.addEventListener("message", ({ source, data }) => {
    if (source !== frame.contentWindow || data?.explorer !== 1) return;
    if (data.type === "height") frame.style.height = `${data.height}px`;
    if (data.type === "ready") ask();
  });
  ask();
}
