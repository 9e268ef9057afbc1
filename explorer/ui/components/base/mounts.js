/* One instance for each mounted component.

   mounts(keeps)                        instances by parentElement: .get(component, create), .drop(parentElement)
   readComponent(component)             the same with its data, if that comes as the bytes of JSON
   adoptStyles(root)                    gives a shadow root the component's styles, one sheet for all instances

   Streamlit calls the default export again on every change of data or theme, and the returned cleanup only at unmount.
   So the instance is looked up by the element it lives in:

     const live = mounts();
     export default function (component) {
       const view = live.get(component, () => new View(component));
       view.update(component);                // every time: data, setStateValue may be new
       return () => live.drop(component.parentElement);    // calls view.destroy() once it has left the page
     }

   In another language it is made anew, because it says its words once (`inWords`): when its data says so (`every_page.py`), and when
   the words themselves come after it. With mounts(true) it keeps what it holds, and says its words at each update.

   Streamlit sends what is reported until its timer of 0 ms as one message, which runs one fragment of the page; on a slow machine,
   reports of several meet there. So what a component reports waits until the message with the reports of another has gone. Of a page that is being left for another,
   nothing is reported (arrival.js).
*/

/* The timer is set after Streamlit's own and ends after it. */
function reportInTurn(of, report) {
  const turns = (window.explorerTurns ??= { of: null, open: 0, waiting: [] });
  if (turns.waiting.length || (turns.open && turns.of !== of)) return void turns.waiting.push([of, report]);
  turns.of = of;
  turns.open += 1;
  try {
    if (!window.explorerLeaves?.()) report();
  } finally {
    setTimeout(() => {
      turns.open -= 1;
      if (!turns.open) for (const each of turns.waiting.splice(0)) reportInTurn(...each);
    });
  }
}

function reportsInTurn(component) {
  for (const name of ["setStateValue", "setTriggerValue"]) {
    const report = component[name];
    if (report) component[name] = (...values) => reportInTurn(component.parentElement, () => report(...values));
  }
}

function mounts(keeps = false) {
  const instances = new WeakMap();
  return {
    get(component, create) {
      const { parentElement } = component;
      reportsInTurn(component);
      let live = instances.get(parentElement);
      if (!live) {
        adoptStyles(parentElement);
        watchRoot(parentElement);
        live = { instance: create(component) };
        if (!keeps) live.deaf = listenTo("explorer-words", () => again(live, create));
        instances.set(parentElement, live);
      } else if (!keeps && component.data?.language !== live.component.data?.language) remake(live, create, component);
      live.component = component;
      return live.instance;
    },
    drop(parentElement) {
      // Streamlit also cleans up an update that the next one overtook; the element is still on the page then
      setTimeout(() => {
        if ((parentElement.host ?? parentElement).isConnected) return;
        const live = instances.get(parentElement);
        live?.deaf?.();
        live?.instance.destroy?.();
        instances.delete(parentElement);
      });
    },
  };
}

function readComponent(component) {
  const { data } = component;
  return data instanceof Uint8Array ? { ...component, data: JSON.parse(new TextDecoder().decode(data)) } : component;
}

function watchRoot(parentElement) {
  const root = parentElement.querySelector(".tx");
  if (root) watchTerms(root);
}

function again(live, create) {
  remake(live, create, live.component);
  live.instance.update(live.component);
}

/* Its element goes, too, with the listeners on it. An instance that is destroyed with true stays on the page, and in its address. */
function remake(live, create, component) {
  live.instance.destroy?.(true);
  const root = component.parentElement.querySelector(".tx");
  root.replaceWith(root.cloneNode());
  watchRoot(component.parentElement);
  live.instance = create(component);
}

let sheet = null;

function adoptStyles(root) {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES); // the first line of the module (assets.py)
  }
  root.adoptedStyleSheets = [sheet];
}
