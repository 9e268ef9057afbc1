/* Two steppers side by side. Together, each keeps as many moves from where it opened as the other: they opened at the
   same difference. The level of detail is always the same. */

class Together {
  constructor(stepper) {
    this.stepper = stepper;
    this.on = null; // true or false in a pair, null alone
    this.following = false;
    this.stops = [
      listenTo("explorer-together", ({ detail }) => this.follow(detail)),
      listenTo("explorer-level", ({ detail }) => stepper.takeLevel(detail)),
    ];
  }

  stop() {
    for (const stop of this.stops) stop();
  }

  moved() {
    if (!this.on || this.following) return;
    const { stepper } = this;
    window.dispatchEvent(new CustomEvent("explorer-together", { detail: { from: stepper, by: stepper.placeOf(stepper.wanted) - stepper.placeOf(stepper.start) } }));
  }

  follow({ from, by }) {
    const { stepper } = this;
    if (!this.on || from === stepper || !stepper.player) return;
    this.following = true;
    stepper.go(by ? stepper.stepAt(stepper.placeOf(stepper.start) + by) : stepper.start);
    this.following = false;
  }

  chose(level) {
    if (this.on !== null) window.dispatchEvent(new CustomEvent("explorer-level", { detail: level }));
  }
}
