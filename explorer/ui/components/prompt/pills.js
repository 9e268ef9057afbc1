/* The messages in the bar, as pills. This mount reports what is asked. */

class Pills {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    this.root.classList.add("pr-bar");
    this.list = make("div", { class: "pr-pills" });
    this.root.append(this.list);
    this.stopChanges = store.subscribe(() => this.draw());
    this.stopFollowing = onAddress(() => store.followAddress());
    store.closed = false;
    store.report = () => this.report();
  }

  destroy() {
    this.stopChanges();
    this.stopFollowing();
    store.closed = true;
    store.reportSoon.cancel();
    store.addressSoon.cancel();
    store.choose(null);
    writeAddress(Object.fromEntries(NAMES.map((name) => [name, null])));
  }

  update({ data, setStateValue }) {
    applyTheme(this.root);
    this.setStateValue = setStateValue;
    this.data = data;
    const lost = this.session !== undefined && data.session !== this.session;
    this.session = data.session;
    if (lost) this.report();
    else if (data.rev !== this.rev) {
      const mounting = this.rev === undefined;
      this.rev = data.rev;
      store.take(data.asked);
      if (mounting) this.open();
      else store.writeAddress();
    }
    this.draw();
  }

  /* A reloaded page may find its old session again: the address knows better. Without one in it, the messages came along
     from another page of the app. */
  open() {
    store.past = [];
    const t = address("t");
    store.token = t !== null && /^\d{1,6}$/.test(t) ? Number(t) : null;
    if (NAMES.some((name) => address(name) !== null)) store.followAddress();
    else store.writeAddress();
  }

  report() {
    this.setStateValue("asked", { ...store.asked, rev: this.rev });
  }

  draw() {
    this.list.replaceChildren(...store.messages.map((message) => make("span", { class: "pr-message", text: String(message.role) })));
  }
}
