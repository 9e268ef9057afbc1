/* Text in SVG that has too little contrast (WCAG 2.2 AA), each as a line: axe-core leaves SVG out. The ground is what is
   painted below the middle of the text: its halo, shapes of the same drawing, the backgrounds of the elements around. */
() => {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const paint = canvas.getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = color;
    paint.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = paint.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const over = (top, below) => [0, 1, 2].map((at) => top[at] * top[3] + below[at] * (1 - top[3])).concat(1);
  const luminance = (color) => color.slice(0, 3).map((part) => part / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
  const ratio = (a, b) => {
    const [high, low] = [luminance(a), luminance(b)].sort((one, other) => other - one);
    return (high + 0.05) / (low + 0.05);
  };
  const shown = (node) => node.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !node.closest("[hidden]");
  const parentOf = (node) => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host;
  const opacity = (node, end) => {
    let share = 1;
    for (let at = node; at && at !== end; at = parentOf(at)) share *= Number(getComputedStyle(at).opacity);
    return share;
  };
  const found = [];
  const walk = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.shadowRoot) walk(node.shadowRoot);
      if (!(node instanceof SVGTextElement) || !node.textContent.trim() || !shown(node)) continue;
      const { left, top, width, height } = node.getBoundingClientRect();
      const [x, y] = [left + width / 2, top + height / 2];
      const svg = node.ownerSVGElement;
      const grounds = [];
      for (let at = parentOf(svg); at; at = parentOf(at)) {
        grounds.unshift(rgba(getComputedStyle(at).backgroundColor));
        if (grounds[0][3] === 1) break;
      }
      let ground = grounds.reduce((below, each) => over(each, below), [255, 255, 255, 1]);
      for (const shape of svg.querySelectorAll("rect, circle, path, polygon")) {
        if (node.compareDocumentPosition(shape) & Node.DOCUMENT_POSITION_FOLLOWING || !shown(shape)) continue;
        const style = getComputedStyle(shape);
        const box = shape.getBoundingClientRect();
        if (style.fill === "none" || x < box.left || x > box.right || y < box.top || y > box.bottom) continue;
        const point = new DOMPoint(x, y).matrixTransform(shape.getScreenCTM().inverse());
        if (!shape.isPointInFill(point)) continue;
        const [red, green, blue, alpha] = rgba(style.fill);
        ground = over([red, green, blue, alpha * Number(style.fillOpacity) * opacity(shape, svg)], ground);
      }
      const style = getComputedStyle(node);
      const [red, green, blue, alpha] = rgba(style.fill);
      const ink = () => over([red, green, blue, alpha * Number(style.fillOpacity) * opacity(node, svg)], ground);
      const halo = style.stroke !== "none" && style.paintOrder.startsWith("stroke") && Number.parseFloat(style.strokeWidth) >= 3;
      if (halo) ground = over(rgba(style.stroke), ground);
      const size = Number.parseFloat(style.fontSize);
      const wanted = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
      const is = ratio(ink(), ground);
      if (is < wanted - 0.01) found.push(`svg text ${JSON.stringify(node.textContent.slice(0, 30))}: ${is.toFixed(2)} of ${wanted}, ${style.fill} on ${ground.slice(0, 3).map(Math.round)}`);
    }
  };
  walk(document);
  return found;
}
