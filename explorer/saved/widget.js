/* The view of `widget.py`: a frame with the page, whose stage and step are the model's. `framed` is frame.js. */
export default {
  render({ model, el }) {
    const frame = document.createElement("iframe");
    const height = model.get("height");
    frame.title = model.get("title");
    frame.setAttribute("sandbox", model.get("sandbox"));
    frame.style.cssText = `display:block;width:100%;border:0;height:${height || model.get("first_height")}px`;
    frame.srcdoc = model.get("page");
    let heard = null; // before the first step is drawn, the page goes nowhere
    const hear = ({ source, data }) => {
      if (source !== frame.contentWindow || data?.explorer !== 1 || data.type !== "step") return;
      const begins = heard === null;
      heard = { stage: data.stage, step: data.step };
      if (begins) return go();
      model.set(heard);
      model.save_changes();
    };
    const go = () => {
      const [stage, step] = [model.get("stage"), model.get("step")];
      if (heard === null || (!stage && step === null) || (stage === heard.stage && step === heard.step)) return;
      frame.contentWindow.postMessage({ explorer: 1, type: "go", stage, step }, "*");
    };
    frame.addEventListener("load", () => framed(frame, null, height > 0));
    window.addEventListener("message", hear);
    model.on("change:stage", go);
    model.on("change:step", go);
    el.append(frame);
    return () => {
      window.removeEventListener("message", hear);
      model.off("change:stage", go);
      model.off("change:step", go);
    };
  },
};
