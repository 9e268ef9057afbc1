/* Reports a number back once the page that came with it is drawn. Shows nothing. */

const DRAWN_MS = 100; // the other widgets of that page have taken their values by then

export default function ({ data, setStateValue }) {
  if (data.value > 0) setTimeout(() => setStateValue("value", data.value), DRAWN_MS);
}
