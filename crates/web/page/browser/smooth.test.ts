// 10,000 nodes: panning copies a picture and hardly ever paints. Times are written down, not judged:
// they belong to the machine.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cluster } from "./cluster";
import { browse, open, output, serve } from "./harness";

it("pans 10,000 nodes by copying", async () => {
  const server = await serve();
  const sent = await fetch(`${server.url}api/v1/inputs?name=large.json`, {
    method: "POST",
    body: cluster(10_000, 800),
  });
  expect(sent.status).toBe(201);
  // Without the limit of the screen, the time between frames is the time a frame takes.
  const browser = await browse("--disable-frame-rate-limit", "--disable-gpu-vsync");
  const { tab, complaints } = await open(browser, server.url);
  await tab.waitForSelector(".map canvas[data-paints]");
  const box = (await tab.locator(".map canvas").boundingBox())!;
  const result = await tab.evaluate(async ({ x, y, width, height }) => {
    const canvas = document.querySelector<HTMLCanvasElement>(".map canvas")!;
    const frame = () => new Promise<number>((done) => requestAnimationFrame(done));
    const send = (type: string, px: number, py: number) =>
      canvas.dispatchEvent(
        new PointerEvent(type, { clientX: px, clientY: py, pointerId: 1, bubbles: true, buttons: 1 }),
      );
    canvas.setPointerCapture = () => {}; // there is no real pointer to capture
    const measure = async (zoom: number) => {
      canvas.dispatchEvent(
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
      const times: number[] = [];
      send("pointerdown", x + width / 2, y + height / 2);
      let last = await frame();
      for (let i = 1; i <= 240; i++) {
        send("pointermove", x + width / 2 + 160 * Math.sin(i / 30), y + height / 2 + 100 * Math.sin(i / 20));
        const now = await frame();
        times.push(now - last);
        last = now;
      }
      send("pointerup", x, y);
      times.sort((a, b) => a - b);
      return {
        median: times[120],
        p95: times[228],
        worst: times[239],
        painted: Number(canvas.dataset.paints) - paints,
      };
    };
    const all = await measure(1);
    const near = await measure(2);
    const nearer = await measure(4);
    return { all, near, nearer };
  }, box);
  mkdirSync(output, { recursive: true });
  writeFileSync(join(output, "frames.json"), JSON.stringify(result, null, 2));
  console.log("milliseconds a frame, 10,000 nodes:", JSON.stringify(result));
  for (const { painted } of Object.values(result)) expect(painted).toBeLessThanOrEqual(24);
  expect(complaints).toEqual([]);
  await browser.close();
  await server.kill();
});
