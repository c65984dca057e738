// Light, dark or as the system says; and the style sheet's colours for what is drawn on canvas.
import { useEffect, useState } from "preact/hooks";
import { parse, type Rgb } from "./logic/colour";

export type Theme = "auto" | "light" | "dark";
const KEY = "bayplan-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

export function chosenTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === "light" || kept === "dark" ? kept : "auto";
}

export function chooseTheme(theme: Theme) {
  if (theme === "auto") {
    localStorage.removeItem(KEY);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(KEY, theme);
    document.documentElement.dataset.theme = theme;
  }
  for (const listener of listeners) listener();
}
system.addEventListener("change", () => listeners.forEach((listener) => listener()));

const NAMES = [
  "ink",
  "muted",
  "line",
  "panel",
  "paper",
  "accent",
  "arrive",
  "leave",
  "cell",
  "low",
  "full",
  "broken",
  "bar",
  "good",
  "bad",
  "warn",
] as const;
export type Palette = Record<(typeof NAMES)[number], string> & { rgb: (name: (typeof NAMES)[number]) => Rgb };

// A custom property reads as it was written; only a used colour tells which theme is on.
function readPalette(): Palette {
  const probe = document.createElement("span");
  document.body.append(probe);
  const read = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = Object.fromEntries(NAMES.map((name) => [name, read(name)])) as Record<(typeof NAMES)[number], string>;
  probe.remove();
  return { ...colours, rgb: (name) => parse(colours[name]) };
}

export function usePalette(): Palette {
  const [palette, setPalette] = useState(readPalette);
  useEffect(() => {
    const listener = () => setPalette(readPalette());
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return palette;
}
