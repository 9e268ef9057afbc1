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
*/

function mounts(keeps = false) {
  const instances = new WeakMap();
  return {
    get(component, create) {
      const { parentElement } = component;
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
