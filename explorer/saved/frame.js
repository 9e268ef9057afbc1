/* What a page does for a saved page in a frame, once the frame is loaded: it gives the frame the height of its content,
   unless that is fixed, and hides what the frame replaces. */
(frame, replaced, fixed) => {
  if (replaced) replaced.hidden = true;
  if (fixed) return;
  window.addEventListener("message", ({ source, data }) => {
    if (source === frame.contentWindow && data?.explorer === 1 && data.type === "height") frame.style.height = `${data.height}px`;
  });
  frame.contentWindow.postMessage({ explorer: 1, type: "fit" }, "*");
}
