import type { Scene } from "./scene";

/** What the colours and bars of the map say. */
export function Legend({ scene, touched = false }: { scene: Scene | null; touched?: boolean }) {
  if (!scene) return null;
  const someNew = scene.opened > 0 && scene.nodes.name.length > scene.opened;
  if (scene.change) {
    return (
      <p class="legend">
        <i class="swatch arrive" /> arrives <i class="swatch leave" /> leaves
        {someNew && (
          <>
            <i class="swatch opened" /> new node
          </>
        )}
      </p>
    );
  }
  const names = scene.map.resources.map((resource) => resource.name).join(", ");
  const what = scene.map.services.start
    ? "the most at any time"
    : scene.map.services.deviation
      ? "mean use"
      : "used";
  return (
    <p class="legend">
      <span>
        {names}, {what}: 0
      </span>{" "}
      <i class="ramp" /> <span>100 %</span> <i class="swatch broken" /> over
      {touched && (
        <>
          <i class="swatch touched" /> in this wave
        </>
      )}
      {someNew && (
        <>
          <i class="swatch opened" /> new node
        </>
      )}
    </p>
  );
}
