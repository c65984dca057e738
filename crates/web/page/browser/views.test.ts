// What the views promise beside the answers: errors, stopping, waves, comparing, keys, themes.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask, browse, finished, open, serve, type Server, WITHIN } from "./harness";

let server: Server;
let browser: Browser;
beforeAll(async () => {
  [server, browser] = await Promise.all([serve("examples/web-shop.yaml"), browse()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.kill();
});

const file = (name: string, text: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });

it("shows every error of a file with code, place and fix", async () => {
  const { tab, complaints } = await open(browser, server.url);
  await tab.click("nav >> text=Load");
  const broken =
    "version: 1\nservices:\n  - {name: a, replicas: 1, demand: {cpu: lots}}\n  - {name: a, replicas: 1, demand: {cpu: 1}}\npools: []\n";
  await tab.setInputFiles("input[type=file]", file("broken.yaml", broken));
  await tab.waitForSelector(".problems li");
  const problems = await tab.locator(".problems li").allTextContents();
  expect(problems.length).toBeGreaterThan(0);
  expect(await tab.textContent(".problems li code")).toMatch(/^[A-Z]\d+$/);
  expect(await tab.textContent(".problems .fix")).not.toBe("");
  expect(complaints).toEqual([]);
});

it("takes a file that is dropped anywhere on the page", async () => {
  const { tab, complaints } = await open(browser, server.url);
  await tab.waitForSelector(".map .surface");
  const table = "version: 1\npools:\n  - {name: p, capacity: {cpu: 4}}\nservices:\n  - {name: a, replicas: 3, demand: {cpu: 3}}\n";
  const dataTransfer = await tab.evaluateHandle((text) => {
    const held = new DataTransfer();
    held.items.add(new File([text], "dropped.yaml"));
    return held;
  }, table);
  await tab.dispatchEvent(".map .surface", "drop", { dataTransfer });
  await tab.waitForSelector(".view-ask form");
  await expect.poll(() => tab.textContent("#input option:checked"), WITHIN).toBe("dropped.yaml");
  expect(await ask(tab, "provision", 2)).toBe("3 nodes, proven optimal");
  expect(complaints).toEqual([]);
});

it("reads a plain table once it is told the node", async () => {
  const { tab } = await open(browser, server.url);
  await tab.click("nav >> text=Load");
  await tab.setInputFiles("input[type=file]", file("apps.csv", "application,cpu,memory\na,4,8\nb,20,30\n"));
  await tab.waitForSelector(".problems li");
  await tab.fill(".extra label:has-text('--cpu') input", "32");
  await tab.fill(".extra label:has-text('--memory') input", "64");
  await tab.click("text=Read apps.csv again");
  await tab.waitForSelector(".view-ask form");
  expect(await ask(tab, "divide", 2)).toMatch(/proven optimal/);
});

it("stops when good enough, with the best plan so far, and nothing jumps while it runs", async () => {
  const { tab, complaints } = await open(browser, server.url);
  await tab.click("nav >> text=Ask");
  await tab.check("input[name=verb][value=colocate]");
  await tab.fill("#time", "30");
  const place = () =>
    tab.evaluate(() =>
      [".live .plot", ".live .actions", ".gauges", ".submit"].map((s) =>
        Math.round(document.querySelector(s)!.getBoundingClientRect().top),
      ),
    );
  const before = await place();
  await tab.click(".submit button");
  await tab.waitForSelector(".live .verdict.running");
  await tab.waitForFunction(() => document.querySelector(".gauges dd")?.textContent !== "–");
  expect(await place()).toEqual(before);
  await tab.click("text=Good enough: stop");
  await finished(tab);
  expect(await tab.textContent(".live .verdict")).toMatch(/of traffic local/);
  expect(await place()).toEqual(before);
  expect(complaints).toEqual([]);
});

it("goes through the waves: each changes the map's state, the last ends in the plan", async () => {
  const { tab, complaints } = await open(browser, server.url);
  await ask(tab, "colocate", 2);
  await tab.click("nav >> text=Migration");
  const slider = tab.locator(".scrubber input[type=range]");
  await tab.waitForSelector(".toolbar h1:text('Before the first of')");
  const full = () => tab.locator(".side section:nth-child(2) tbody").textContent();
  const start = await full();
  await slider.focus();
  await tab.keyboard.press("ArrowRight");
  await tab.waitForSelector(".toolbar h1:text-matches('^Wave 1 of [0-9]+: (starts|stops) [0-9]+ replicas?')");
  await expect.poll(full, WITHIN).not.toBe(start);
  await tab.keyboard.press("End");
  const alive = async () => {
    const shares = await tab.locator(".side section:first-child tbody tr td:nth-child(3)").allTextContents();
    return [...new Set(shares.map((text) => text.replace(/\s/g, "")))];
  };
  await expect.poll(alive, WITHIN).toEqual(["100%"]);
  await tab.keyboard.press("Home");
  await expect.poll(full, WITHIN).toBe(start);
  const [download] = await Promise.all([tab.waitForEvent("download"), tab.click("text=Plan, JSON")]);
  expect(download.suggestedFilename()).toMatch(/plan\.json$/);
  expect(complaints).toEqual([]);
});

it("says what has no place, and why", async () => {
  const { tab, complaints } = await open(browser, server.url);
  await tab.click("nav >> text=Load");
  const small =
    "version: 1\npools:\n  - {name: p, capacity: {cpu: 4, memory: 8Gi}, price: 1, max_count: 1}\nservices:\n  - {name: fits, replicas: 3, demand: {cpu: 1, memory: 1Gi}}\n  - {name: giant, replicas: 2, demand: {cpu: 9, memory: 1Gi}}\n";
  await tab.setInputFiles("input[type=file]", file("small.yaml", small));
  await tab.waitForSelector(".view-ask form");
  await ask(tab, "provision", 2);
  await tab.click("text=See the answer");
  await tab.waitForSelector(".missing >> text=2 replicas have no place");
  expect(await tab.textContent(".missing tbody")).toMatch(/giant.*too large/);
  expect(complaints).toEqual([]);
});

it("compares runs of one aim against one bound, and keeps other aims apart", async () => {
  const { tab, complaints } = await open(browser, server.url);
  await ask(tab, "provision", 2, () => tab.check("#option-repack"));
  await tab.click("nav >> text=Compare");
  await tab.selectOption(".contest select", "provision");
  await tab.fill(".contest input[type=number]", "2");
  await tab.check(".contest li:has(strong:text-is('FFD-Max')) input");
  const before = await tab.locator(".aim tbody tr").count();
  await tab.click(".contest button");
  await tab.waitForFunction((n) => document.querySelectorAll(".aim tbody tr").length === n + 2, before);
  expect(await tab.locator(".aim").count()).toBeGreaterThanOrEqual(2);
  expect(complaints).toEqual([]);
});

it("compares the end of a frontier with plain answers, and leads to a run that goes on", async () => {
  const { tab, complaints } = await open(browser, server.url);
  await tab.click("nav >> text=Load");
  await tab.click(".examples >> text=Web shop");
  await tab.waitForSelector(".view-map canvas");
  await ask(tab, "colocate", 2, () => tab.check("#option-frontier"));
  await ask(tab, "colocate", 1, () => tab.uncheck("#option-frontier"));
  await tab.click("nav >> text=Compare");
  await tab.waitForFunction(() => document.querySelectorAll(".aim tbody tr").length === 2);
  expect(await tab.locator(".aim").count()).toBe(1);
  await tab.click("nav >> text=Ask");
  await tab.fill("#time", "60");
  await tab.keyboard.press("Enter");
  await tab.waitForSelector(".live .verdict.running");
  await tab.keyboard.press("Escape"); // out of the field: keys lead to views again
  await tab.keyboard.press("6");
  await tab.click(".runs a:has-text('running')");
  await tab.waitForSelector(".view-ask .live .verdict.running");
  await tab.click("text=Good enough: stop");
  await finished(tab);
  expect(complaints).toEqual([]);
});

it("is used by keys alone, and keeps the chosen colours", async () => {
  const { tab, complaints } = await open(browser, server.url);
  for (const [key, view] of [
    ["1", "load"],
    ["3", "ask"],
    ["6", "compare"],
    ["2", "map"],
  ]) {
    await tab.keyboard.press(key);
    await tab.waitForSelector(`main.view-${view}`);
  }
  await tab.waitForSelector(".map canvas");
  await tab.keyboard.press("/");
  await tab.keyboard.type("cart");
  await tab.waitForSelector(".found >> text=on 2 nodes");
  await tab.keyboard.press("Escape");
  await tab.focus(".map .surface");
  await tab.keyboard.press("ArrowRight");
  await tab.keyboard.press("ArrowRight");
  await tab.waitForSelector(".tooltip strong:text-is('small-a2')");
  await tab.keyboard.press("?");
  await tab.waitForSelector("dialog[open]");
  await tab.keyboard.press("Escape");
  const paper = () => tab.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await paper();
  await tab.check("input[name=theme][value=dark]", { force: true });
  await expect.poll(paper, WITHIN).not.toBe(light);
  const dark = await paper();
  await tab.reload();
  await tab.waitForSelector("main canvas");
  await expect.poll(paper, WITHIN).toBe(dark);
  expect(complaints).toEqual([]);
});

it("keeps what was typed and chosen when one looks elsewhere", async () => {
  const { tab, complaints } = await open(browser, server.url);
  await ask(tab, "colocate", 1, () => tab.fill("#option-max_moves", "5"));
  await tab.click("text=See the answer");
  expect(await tab.textContent(".command code")).toMatch(/--max-moves 5 /);
  await tab.click("nav >> text=Map");
  await tab.check("input[name=face][value=difference]", { force: true });
  await tab.click("nav >> text=Ask");
  await expect.poll(() => tab.inputValue("#option-max_moves"), WITHIN).toBe("5");
  expect(await tab.inputValue("#time")).toBe("1");
  await tab.click("nav >> text=Map");
  await expect.poll(() => tab.isChecked("input[name=face][value=difference]"), WITHIN).toBe(true);
  expect(complaints).toEqual([]);
});
