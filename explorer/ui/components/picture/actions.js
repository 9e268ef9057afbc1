/* Buttons that do something with an answer: copy it, save it, save the page. */

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
      setText(words, inWords("Not possible here: {0}", error.message));
    }
    back();
  };
  return make("button", { ...options, on: { click } }, words);
}

/* A page that Python writes as a file, once for each time it is asked. report(value): what Python is told. */
class PageSaving {
  constructor(report) {
    this.report = report;
  }

  /* contentId: of what is shown. Resolves once the file is saved. */
  async ask(contentId) {
    const { name, html } = await this.made(contentId);
    saveFile(name, new Blob([html], { type: "text/html" }));
  }

  /* The file's name and HTML. */
  made(contentId) {
    return new Promise((done, failed) => {
      this.asked = { of: `${contentId} ${Date.now()}`, done, failed };
      this.report(this.asked.of);
    });
  }

  /* page: the answer in Python's data, also one to an earlier question. */
  take(page) {
    if (!page || page.of !== this.asked?.of) return;
    const { done, failed } = this.asked;
    this.asked = null;
    this.report("");
    if (page.problem) return failed(new Error(page.problem));
    done(page);
  }
}
