/* The view Training. */

STAGES.training = class {
  constructor(frame) {
    this.frame = frame;
  }

  draw(data, frame) {
    frame.headline({ say: ["Not built yet.", [], []] });
  }
};
