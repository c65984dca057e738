// The frame around the views: where one is, what is loaded, what has been asked.
import { useEffect, useRef } from "preact/hooks";
import { usePolling, useRun } from "./hooks";
import { capital } from "./logic/format";
import { VIEWS, type View } from "./logic/route";
import { Sidebar } from "./sidebar";
import { go, isLive, set, useStore } from "./store";
import { Help } from "./ui/help";
import { Problems } from "./ui/problems";
import { AnswerView } from "./views/answer";
import { AskView } from "./views/ask";
import { CompareView } from "./views/compare";
import { LoadView } from "./views/load";
import { MapView } from "./views/map";
import { MigrationView } from "./views/migration";

const BODIES: Record<View, () => preact.JSX.Element | null> = {
  load: LoadView,
  map: MapView,
  ask: AskView,
  answer: AnswerView,
  migration: MigrationView,
  compare: CompareView,
};

export function App() {
  const { route, runs, ready, trouble } = useStore();
  const help = useRef<HTMLDialogElement>(null);
  useRun(route.run);
  usePolling(runs.some((run) => isLive(run) && run.id !== route.run));
  useEffect(() => {
    document.title = `${capital(route.view)} · bayplan`;
  }, [route.view]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target)) return void (event.key === "Escape" && (event.target as HTMLElement).blur());
      const view = VIEWS[Number(event.key) - 1];
      if (view) go({ view });
      else if (event.key === "/") document.getElementById("search")?.focus();
      else if (event.key === "?") help.current?.showModal();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  // A file may land anywhere on the page: a browser would leave the page for it.
  useEffect(() => {
    const onOver = (event: DragEvent) => event.preventDefault();
    const onDrop = (event: DragEvent) => {
      event.preventDefault();
      const dropped = event.dataTransfer?.files[0];
      if (!dropped) return;
      set({ dropped });
      go({ view: "load" });
    };
    addEventListener("dragover", onOver);
    addEventListener("drop", onDrop);
    return () => (removeEventListener("dragover", onOver), removeEventListener("drop", onDrop));
  }, []);
  const Body = BODIES[route.view];
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => (event.preventDefault(), document.getElementById("main")?.focus())}
      >
        Skip to the view
      </a>
      <Sidebar onHelp={() => help.current?.showModal()} />
      <main id="main" tabIndex={-1} class={`view-${route.view}`}>
        {trouble.length > 0 && <Problems problems={trouble} />}
        {ready && <Body />}
      </main>
      <Help dialog={help} />
    </>
  );
}

/** Keys belong to a field that takes text or a number. */
function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !["radio", "checkbox", "range", "button"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}
