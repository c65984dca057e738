import type { RefObject } from "preact";

const KEYS: [string, string][] = [
  ["1 – 6", "go to a view"],
  ["/", "search the map for a service"],
  ["← ↑ → ↓", "on the map: from node to node; with Shift: move the map"],
  ["+  −  0", "on the map: nearer, farther, all of it"],
  ["← →", "on a slider: the previous or next wave or point"],
  ["Esc", "leave a field, a note or this list"],
  ["?", "this list"],
];

export function Help({ dialog }: { dialog: RefObject<HTMLDialogElement | null> }) {
  return (
    <dialog ref={dialog} aria-labelledby="keys">
      <h2 id="keys">Keys</h2>
      <table>
        <tbody>
          {KEYS.map(([key, what]) => (
            <tr key={key + what}>
              <th>
                <kbd>{key}</kbd>
              </th>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <form method="dialog">
        <button>Close</button>
      </form>
    </dialog>
  );
}
