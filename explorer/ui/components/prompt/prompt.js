/* One module, mounted in four places, each with its part. */

const PARTS = { pills: Pills, cards: CardsMount, stage: StageMount, settings: SettingsMount };
const parts = mounts();

export default function (component) {
  parts.get(component, () => new PARTS[component.data.part](component)).update(component);
  return () => parts.drop(component.parentElement);
}
