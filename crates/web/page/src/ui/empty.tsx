import { formatRoute, type View } from "../logic/route";
import { useStore } from "../store";

/** Why there is nothing here, and the way to something. */
export function Empty({
  title,
  children,
  view,
  link,
}: {
  title: string;
  children: preact.ComponentChildren;
  view: View;
  link: string;
}) {
  const { route } = useStore();
  return (
    <div class="nothing">
      <h1>{title}</h1>
      <p>{children}</p>
      <p>
        <a class="button primary" href={formatRoute({ ...route, view })}>
          {link}
        </a>
      </p>
    </div>
  );
}
