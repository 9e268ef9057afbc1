/* What this browser remembers of a reader: the cards seen and the questions answered. It never leaves the browser.

   { "last": {lesson, card}, "lessons": { key: { seen: [1, 2], right: {"3": true}, of: 9 } } } */

const KEPT = "explorer-learn";

function progress() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "{}");
    return kept && typeof kept === "object" && typeof kept.lessons === "object" ? kept : { lessons: {} };
  } catch {
    return { lessons: {} }; // a browser that keeps nothing, or something else there
  }
}

function progressOf(key) {
  const { seen, right, of } = progress().lessons[key] ?? {};
  return { seen: Array.isArray(seen) ? seen : [], right: right && typeof right === "object" ? right : {}, of };
}

function keep(changed) {
  try {
    localStorage.setItem(KEPT, JSON.stringify(changed));
  } catch {
    // nothing is kept
  }
  window.dispatchEvent(new CustomEvent("explorer-progress"));
}

function sawCard(key, card, of) {
  const kept = progress();
  const { seen, right } = progressOf(key);
  kept.lessons[key] = { seen: [...new Set([...seen, card])].filter((each) => each <= of), right, of };
  kept.last = { lesson: key, card };
  keep(kept);
}

/* Only the first answer counts. */
function answeredCard(key, card, isRight) {
  const kept = progress();
  const own = progressOf(key);
  if (String(card) in own.right) return;
  kept.lessons[key] = { ...own, right: { ...own.right, [card]: isRight } };
  keep(kept);
}

function forgetProgress() {
  try {
    localStorage.removeItem(KEPT);
  } catch {
    // nothing was kept
  }
  window.dispatchEvent(new CustomEvent("explorer-progress"));
}

/* The cards whose questions are open. */
function openQuestions({ key, asks }) {
  const { right } = progressOf(key);
  return asks.filter((card) => !(String(card) in right));
}

/* "done", "begun" or "". A lesson is done when its cards are read and its questions answered. */
function stateOf(lesson) {
  const { seen } = progressOf(lesson.key);
  return seen.length >= lesson.cards && !openQuestions(lesson).length ? "done" : seen.length ? "begun" : "";
}
