/* One instance for each mounted component.

   mounts()                             instances by parentElement: .get(component, create), .drop(parentElement)
   adoptStyles(root)                    gives a shadow root the component's styles, one sheet for all instances

   Streamlit calls the default export again on every change of data or theme, and the returned cleanup only at unmount.
   So the instance is looked up by the element it lives in:

     const live = mounts();
     export default function (component) {
       const view = live.get(component, () => new View(component));
       view.update(component);                // every time: data, setStateValue may be new
       return () => live.drop(component.parentElement);    // calls view.destroy() once it has left the page
     }
*/

function mounts() {
  const instances = new WeakMap();
  return {
    get(component, create) {
      let instance = instances.get(component.parentElement);
      if (!instance) {
        adoptStyles(component.parentElement);
        const root = component.parentElement.querySelector(".tx");
        if (root) watchTerms(root);
        instance = create(component);
        instances.set(component.parentElement, instance);
      }
      return instance;
    },
    drop(parentElement) {
      // Streamlit also cleans up an update that the next one overtook; the element is still on the page then
      setTimeout(() => {
        if ((parentElement.host ?? parentElement).isConnected) return;
        instances.get(parentElement)?.destroy?.();
        instances.delete(parentElement);
      });
    },
  };
}

let sheet = null;

function adoptStyles(root) {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES); // the first line of the module (assets.py)
  }
  root.adoptedStyleSheets = [sheet];
}
