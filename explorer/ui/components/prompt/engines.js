/* The view Engines. */

STAGES.engines = class {
  constructor(frame) {
    this.frame = frame;
  }

  draw(data, frame) {
    frame.headline({ say: ["Not built yet.", [], []] });
  }
};
