// Each of the five questions, from a file or example to the checked answer.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask, browse, loadExample, open, serve, type Server } from "./harness";

let server: Server;
let browser: Browser;
beforeAll(async () => {
  [server, browser] = await Promise.all([serve("examples/web-shop.yaml"), browse()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.kill();
});

it("provision: the file given on the command line, repacked", async () => {
  const { tab, complaints } = await open(browser, server.url);
  await tab.waitForSelector(".view-map canvas"); // the map comes first when there is an input
  // The proof ends the run; the time only has to suffice on a busy machine.
  const verdict = await ask(tab, "provision", 60, () => tab.check("#option-repack"));
  expect(verdict).toBe("cost 2.6200 with 7 nodes, proven optimal");
  await tab.click("text=See the answer");
  expect(await tab.textContent(".answer .verdict")).toBe(verdict);
  expect(await tab.textContent(".command code")).toMatch(/^bayplan provision examples\/web-shop.yaml .*--repack/);
  expect(complaints).toEqual([]);
});

it("colocate: a frontier, and a point of it chosen by keyboard and by dragging", async () => {
  const { tab, complaints } = await open(browser, server.url);
  await ask(tab, "colocate", 3, () => tab.check("#option-frontier"));
  await tab.click("text=See the answer");
  const slider = tab.locator(".choice input[type=range]");
  const last = Number(await slider.getAttribute("max"));
  expect(last).toBeGreaterThan(0);
  const verdict = () => tab.textContent(".answer .verdict");
  await slider.focus();
  await tab.keyboard.press("Home");
  // The figures are those of the plan that was chosen.
  await tab.waitForSelector(".answer .verdict:text(', 0 moves')");
  const least = await verdict();
  const moves = tab.locator(".figures tr:has(th:text-is('moves')) td");
  expect((await moves.textContent())?.trim()).toBe("0");
  await tab.keyboard.press("End");
  await tab.waitForFunction((old) => document.querySelector(".answer .verdict")?.textContent !== old, least);
  const most = await verdict();
  expect(most).toMatch(/of traffic local, \d+ moves/);
  // Dragging over the chart goes back to the first point.
  const box = (await tab.locator(".choice .u-over").boundingBox())!;
  await tab.mouse.move(box.x + box.width - 4, box.y + 40);
  await tab.mouse.down();
  await tab.mouse.move(box.x + box.width / 2, box.y + 40, { steps: 4 });
  await tab.mouse.move(box.x + 2, box.y + 40, { steps: 4 });
  await tab.mouse.up();
  await tab.waitForFunction((wanted) => document.querySelector(".answer .verdict")?.textContent === wanted, least);
  expect(complaints).toEqual([]);
});

it("overcommit: what confidence costs", async () => {
  const { tab, complaints } = await open(browser, server.url);
  await loadExample(tab, "Steady fleet");
  expect(await ask(tab, "overcommit", 5, () => tab.check("#option-curve"))).toMatch(/nodes/);
  await tab.click("text=See the answer");
  await tab.waitForSelector(".choice tbody tr:nth-child(2)");
  // More confidence never takes fewer nodes.
  const nodes = await tab.locator(".choice tbody tr td:nth-child(2)").allTextContents();
  const counts = nodes.map((text) => Number(text.replace(/\D/g, "")));
  expect([...counts].sort((a, b) => a - b)).toEqual(counts);
  expect(complaints).toEqual([]);
});

it("divide: the answer opens nodes and the map shows them", async () => {
  const { tab, complaints } = await open(browser, server.url);
  await loadExample(tab, "Divided load");
  expect(await ask(tab, "divide", 3)).toMatch(/nodes, .*instances/);
  await tab.click("nav >> text=Map");
  await tab.waitForSelector(".map canvas[data-paints]");
  await tab.focus(".map .surface");
  await tab.keyboard.press("ArrowRight");
  expect(await tab.textContent(".tooltip")).toMatch(/cpu.*of.*%/);
  expect(complaints).toEqual([]);
});

it("admit: who is in, and who is not", async () => {
  const { tab, complaints } = await open(browser, server.url);
  await loadExample(tab, "Batch cluster");
  expect(await ask(tab, "admit", 3)).toMatch(/17 of 19 requests admitted/);
  await tab.click("text=See the answer");
  await tab.waitForSelector(".missing >> text=2 requests not admitted");
  await tab.waitForFunction(() => document.querySelectorAll(".missing tbody tr").length === 2);
  expect(complaints).toEqual([]);
});
