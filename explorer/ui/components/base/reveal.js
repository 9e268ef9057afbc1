/* What a picture is about is brought into view: in each box that scrolls around it, and no further than a given one.

   parentOf(node)                  its parent, also out of a shadow root
   deepNodes(root)                 all elements below a root, those in shadow roots too
   reveal(node, within, edges)     scrolls every box around it, up to `within`, unless the node is seen there already; edges:
                                   how much of the last box is covered, { top, bottom }, where it is scrolled no more than needed
   isInView(node, within)          whether no box around it, up to `within`, cuts it off
   marksOf(stepper)                what its step marks, the strongest mark of each panel
*/

const WORK_MARKS = [".focus", ".newest", ".bd-word .focus", ".latest", ".now", ".hit", ".at", ".here", ".run", ".look", ".done", ".work", ".reject", ".gone", ".next"];

function parentOf(node) {
  return node.parentElement ?? node.getRootNode().host ?? null;
}

function* deepNodes(root) {
  for (const node of root.querySelectorAll("*")) {
    yield node;
    if (node.shadowRoot) yield* deepNodes(node.shadowRoot);
  }
}

function reveal(node, within, edges = null) {
  for (let box = parentOf(node); box; box = parentOf(box)) {
    const { overflowX, overflowY } = getComputedStyle(box);
    const [own, view] = [node.getBoundingClientRect(), box.getBoundingClientRect()];
    if (box === within && edges) {
      box.scrollTop += Math.max(0, own.bottom - view.bottom + edges.bottom) || Math.min(0, own.top - view.top - edges.top);
      return;
    }
    const scrolls = (overflow) => overflow === "auto" || overflow === "scroll" || (box !== within && overflow === "hidden");
    if (scrolls(overflowY) && (own.top < view.top || own.bottom > view.bottom)) box.scrollTop += own.height > view.height ? own.top - view.top : (own.top + own.bottom - view.top - view.bottom) / 2;
    if (scrolls(overflowX) && (own.left < view.left || own.right > view.right)) box.scrollLeft += own.width > view.width ? own.left - view.left : (own.left + own.right - view.left - view.right) / 2;
    if (box === within) return;
  }
}

function isInView(node, within) {
  const own = node.getBoundingClientRect();
  for (let box = parentOf(node); box; box = parentOf(box)) {
    const { overflowX, overflowY } = getComputedStyle(box);
    const view = box.getBoundingClientRect();
    if (overflowY !== "visible" && (own.top < view.top - 1 || own.bottom > view.bottom + 1)) return false;
    if (overflowX !== "visible" && (own.left < view.left - 1 || own.right > view.right + 1)) return false;
    if (box === within) break;
  }
  return true;
}

function marksOf(stepper) {
  const seen = (node) => node.checkVisibility() && node.getBoundingClientRect().width > 0;
  return [...stepper.querySelectorAll(".panel")].flatMap((panel) => {
    for (const mark of WORK_MARKS) {
      const node = [...panel.querySelectorAll(mark)].find(seen);
      if (node) return [node];
    }
    return [];
  });
}
