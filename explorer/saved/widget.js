/* The view of `widget.py`: a frame with the page, whose stage and step are the model's. `framed` is frame.js. */
export default {
  render({ model, el }) {
    const frame = document.createElement("iframe");
    const height = model.get("height");
    frame.title = model.get("title");
    frame.setAttribute("sandbox", model.get("sandbox"));
    frame.style.cssText = `display:block;width:100%;border:0;height:${height || model.get("first_height")}px`;
    frame.srcdoc = model.get("page");
    frame.addEventListener("load", () => framed(frame, null, height > 0));
    const stands = () => ({ stage: model.get("stage"), step: model.get("step") });
    let heard = {};
    const hear = ({ source, data }) => {
      if (source !== frame.contentWindow || data?.explorer !== 1 || data.type !== "step") return;
      heard = { stage: data.stage, step: data.step };
      model.set(heard);
      model.save_changes();
    };
    const go = () => {
      const wanted = stands();
      if (wanted.stage === heard.stage && wanted.step === heard.step) return; // the page said so itself
      frame.contentWindow.postMessage({ explorer: 1, type: "go", ...wanted }, "*");
    };
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
