/* One instance for each mounted component.

   mounts(speaks)                       instances by parentElement: .get(component, create), .drop(parentElement)
   adoptStyles(root)                    gives a shadow root the component's styles, one sheet for all instances

   Streamlit calls the default export again on every change of data or theme, and the returned cleanup only at unmount.
   So the instance is looked up by the element it lives in:

     const live = mounts();
     export default function (component) {
       const view = live.get(component, () => new View(component));
       view.update(component);                // every time: data, setStateValue may be new
       return () => live.drop(component.parentElement);    // calls view.destroy() once it has left the page
     }

   The words of another language may come after a component that says them (`inWords`): with mounts(true) it is made
   anew then.
*/

function mounts(speaks = false) {
  const instances = new WeakMap();
  return {
    get(component, create) {
      const { parentElement } = component;
      let live = instances.get(parentElement);
      if (!live) {
        adoptStyles(parentElement);
        const root = parentElement.querySelector(".tx");
        if (root) watchTerms(root);
        live = { instance: create(component) };
        if (speaks) live.deaf = listenTo("explorer-words", () => again(live, root, create));
        instances.set(parentElement, live);
      }
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

function again(live, root, create) {
  live.instance.destroy();
  root.termTip = null;
  root.replaceChildren();
  live.instance = create(live.component);
  live.instance.update(live.component);
}

let sheet = null;

function adoptStyles(root) {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES); // the first line of the module (assets.py)
  }
  root.adoptedStyleSheets = [sheet];
}
