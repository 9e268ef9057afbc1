/* Buttons that do something with an answer: copy it, save it. */

function saveFile(name, blob) {
  const link = make("a", { attrs: { href: URL.createObjectURL(blob), download: name } });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const toClipboard = (text) => async () => navigator.clipboard.writeText(text());

/* A button that says for a moment what it has done, or why that is not possible here. */
function doingButton(label, act, done, options) {
  const words = make("span", { text: inWords(label) });
  const back = debounce(() => setText(words, inWords(label)), 1500);
  const click = async () => {
    try {
      await act();
      setText(words, inWords(done));
    } catch (error) {
      setText(words, `Not possible here: ${error.message}`);
    }
    back();
  };
  return make("button", { ...options, on: { click } }, words);
}
