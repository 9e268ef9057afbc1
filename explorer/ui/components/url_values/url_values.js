/* Writes choices to the URL, reports them when Back restores others, and acknowledges what Python set. Shows nothing. */

const DRAWN_MS = 100; // by then the page's other widgets have their new values

class UrlValues {
  constructor() {
    this.write = onThisPage(writeAddress);
    this.stopFollowing = onAddress(() => this.followAddress());
  }

  update(component) {
    this.component = component;
    const { values, echo } = component.data;
    // another choice of the visitor is a new entry, to which Back leads; where Back doesn't restore it, it is none
    const chosen = JSON.stringify(values);
    const moves = echo !== null && this.chosen !== undefined && this.chosen !== chosen && !isArriving();
    this.chosen = chosen;
    this.write(values, moves);
    if (echo) setTimeout(() => component.setStateValue("echo", echo), DRAWN_MS);
  }

  followAddress() {
    if (this.component.data.echo === null) return; // one reports for the whole page
    afterBack(() => this.reportBack());
  }

  reportBack() {
    if (this.gone) return;
    const names = [...new URLSearchParams(window.location.search).keys()];
    const values = Object.fromEntries(names.map((name) => [name, addressAll(name).filter((each) => each.length <= 200)]));
    this.component.setStateValue("back", { number: Date.now(), values });
  }

  /* The widgets are gone, and their parameters with them. */
  destroy() {
    this.gone = true;
    this.stopFollowing();
    writeAddress(Object.fromEntries(Object.keys(this.component.data.values).map((name) => [name, null])));
  }
}

const written = mounts(true);

export default function (component) {
  written.get(component, () => new UrlValues()).update(component);
  return () => written.drop(component.parentElement);
}
