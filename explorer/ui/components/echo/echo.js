/* Sends a number back once the page that came with it is drawn. Shows nothing. */

const DRAWN_MS = 100; // by then the page's other widgets have their new values

export default function ({ data, setStateValue }) {
  if (data.value > 0) setTimeout(() => setStateValue("value", data.value), DRAWN_MS);
}
