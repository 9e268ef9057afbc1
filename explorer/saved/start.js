/* Unpacks the page's code and runs it, as an ordinary script whose hash the page's policy names. */
(async () => {
  const say = (text) => document.body.append(Object.assign(document.createElement("p"), { textContent: text }));
  if (!("DecompressionStream" in window)) return say("This page needs a newer browser: Chromium 114, Firefox 125 or Safari 17.");
  const packed = Uint8Array.from(atob(document.getElementById("code").textContent), (each) => each.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const code = document.createElement("script");
  code.textContent = await new Response(stream).text();
  document.body.append(code);
})();
