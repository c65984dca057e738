// 10,000 nodes: panning shifts a picture and hardly ever paints. Times are written down, not judged:
// they belong to the machine. With BAYPLAN_SCREENS=all on a large screen too.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { cluster } from "./cluster";
import { browse, open, output, serve } from "./harness";

interface Frames {
  median: number;
  p95: number;
  worst: number;
  painted: number;
  /** Different places the picture was seen at. */
  moved: number;
}

/** Pans at three distances, 240 frames each. */
async function pan(tab: Page): Promise<Record<"all" | "near" | "nearer", Frames>> {
  await tab.waitForSelector(".map canvas[data-paints]");
  const box = (await tab.locator(".map .surface").boundingBox())!;
  return tab.evaluate(async ({ x, y, width, height }) => {
    const surface = document.querySelector<HTMLElement>(".map .surface")!;
    const canvas = surface.querySelector("canvas")!;
    const frame = () => new Promise<number>((done) => requestAnimationFrame(done));
    const send = (type: string, px: number, py: number) =>
      surface.dispatchEvent(
        new PointerEvent(type, { clientX: px, clientY: py, pointerId: 1, bubbles: true, buttons: 1 }),
      );
    surface.setPointerCapture = () => {}; // there is no real pointer to capture
    const measure = async (zoom: number) => {
      surface.dispatchEvent(
        new WheelEvent("wheel", {
          deltaY: -Math.log(zoom) / 0.0016,
          clientX: x + width / 2,
          clientY: y + height / 2,
          cancelable: true,
          bubbles: true,
        }),
      );
      for (let i = 0; i < 10; i++) await frame();
      const paints = Number(canvas.dataset.paints);
      const places = new Set<string>();
      const times: number[] = [];
      send("pointerdown", x + width / 2, y + height / 2);
      let last = await frame();
      for (let i = 1; i <= 240; i++) {
        send("pointermove", x + width / 2 + 160 * Math.sin(i / 30), y + height / 2 + 100 * Math.sin(i / 20));
        const now = await frame();
        times.push(now - last);
        last = now;
        places.add(`${canvas.dataset.paints} ${canvas.style.transform}`);
      }
      send("pointerup", x, y);
      times.sort((a, b) => a - b);
      return {
        median: times[120],
        p95: times[228],
        worst: times[239],
        painted: Number(canvas.dataset.paints) - paints,
        moved: places.size,
      };
    };
    const all = await measure(1);
    const near = await measure(2);
    const nearer = await measure(4);
    return { all, near, nearer };
  }, box);
}

const SIZES = [
  { width: 1280, height: 800 },
  { width: 2560, height: 1440 },
];

it("pans 10,000 nodes by shifting a picture", async () => {
  const server = await serve();
  const sent = await fetch(`${server.url}api/v1/inputs?name=large.json`, {
    method: "POST",
    body: cluster(10_000, 800),
  });
  expect(sent.status).toBe(201);
  // Without the limit of the screen, the time between frames is the time a frame takes.
  const browser = await browse("--disable-frame-rate-limit", "--disable-gpu-vsync");
  const results: Record<string, unknown> = {};
  for (const size of SIZES.slice(0, process.env.BAYPLAN_SCREENS === "all" ? 2 : 1)) {
    const { tab, complaints } = await open(browser, server.url, size);
    const frames = await pan(tab);
    results[`${size.width} px`] = frames;
    for (const { painted } of Object.values(frames)) expect(painted).toBeLessThanOrEqual(24);
    for (const { moved } of [frames.near, frames.nearer]) expect(moved).toBeGreaterThan(100);
    expect(complaints).toEqual([]);
    await tab.close();
  }
  mkdirSync(output, { recursive: true });
  writeFileSync(join(output, "frames.json"), JSON.stringify(results, null, 2));
  console.log("milliseconds a frame, 10,000 nodes:", JSON.stringify(results));
  await browser.close();
  await server.kill();
});
