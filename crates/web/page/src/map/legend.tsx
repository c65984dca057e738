import type { Scene } from "./scene";

/** What the colours and bars of the map say. */
export function Legend({ scene }: { scene: Scene | null }) {
  if (!scene) return null;
  if (scene.change) {
    return (
      <p class="legend">
        <i class="swatch arrive" /> arrives <i class="swatch leave" /> leaves
        {scene.nodes.name.length > scene.opened && (
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
      ? "of the mean"
      : "used";
  return (
    <p class="legend">
      <span>
        {names}, {what}: 0
      </span>{" "}
      <i class="ramp" /> <span>100 %</span> <i class="swatch broken" /> over
      {scene.nodes.name.length > scene.opened && (
        <>
          <i class="swatch opened" /> new node
        </>
      )}
    </p>
  );
}
