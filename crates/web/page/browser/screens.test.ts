// A picture of every view for the web shop; with BAYPLAN_SCREENS=all in all four looks (light and
// dark, 1280 and 2560 pixels) and for a larger cluster too. They are looked at by people; what is
// tested is that nothing is cut off sideways.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cluster } from "./cluster";
import { ask, browse, finished, type Look, open, serve, type Server, shoot } from "./harness";

let server: Server;
let browser: Browser;
beforeAll(async () => {
  [server, browser] = await Promise.all([serve("examples/web-shop.yaml"), browse()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.kill();
});

const LOOKS: [string, Look][] = [
  ["1280-light", { width: 1280, height: 800, scheme: "light" }],
  ["1280-dark", { width: 1280, height: 800, scheme: "dark" }],
  ["2560-light", { width: 2560, height: 1440, scheme: "light" }],
  ["2560-dark", { width: 2560, height: 1440, scheme: "dark" }],
];

const ALL = process.env.BAYPLAN_SCREENS === "all";

/** Nothing sticks out of the window or of the view's column. */
const overflow = (tab: Page) =>
  tab.evaluate(() =>
    [document.documentElement, document.querySelector("main")!].map((e) => e.scrollWidth - e.clientWidth),
  );

async function pictures(name: string, url: string, run: string) {
  for (const [look, size] of LOOKS.filter((_, i) => ALL || i === 0 || i === 3)) {
    const { tab, complaints } = await open(browser, `${url}#/load?${run}`, size);
    const view = async (title: string, ready: string) => {
      await tab.click(`nav >> text=${title}`);
      await tab.waitForSelector(ready);
    };
    const shot = async (view: string) => {
      await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      expect(await overflow(tab), `${name} ${view} ${look}`).toEqual([0, 0]);
      await shoot(tab, `${name}-${view}-${look}`);
    };
    await shot("load");
    await view("Map", ".map canvas[data-paints]");
    await tab.waitForSelector("input[name=face][value=difference]:enabled", { state: "attached" });
    for (const face of ["before", "after", "difference"]) {
      await tab.check(`input[name=face][value=${face}]`, { force: true });
      await shot(`map-${face}`);
    }
    await view("Ask", ".live .verdict.done");
    await shot("ask");
    await view("Answer", ".answer .verdict");
    await shot("answer");
    await view("Migration", ".scrubber input");
    await tab.focus(".scrubber input");
    await tab.keyboard.press("ArrowRight");
    await shot("migration");
    await view("Compare", ".aim tbody tr");
    await shot("compare");
    expect(complaints).toEqual([]);
    await tab.close();
  }
}

it("pictures of the web shop", async () => {
  const { tab } = await open(browser, server.url);
  await ask(tab, "colocate", 2, () => tab.check("#option-frontier"));
  await pictures("web-shop", server.url, new URL(tab.url()).hash.split("?")[1]);
});

it.runIf(ALL)("pictures of a larger cluster", async () => {
  const sent = await fetch(`${server.url}api/v1/inputs?name=large.json`, { method: "POST", body: cluster(400, 60) });
  const { id } = (await sent.json()) as { id: string };
  const { tab } = await open(browser, `${server.url}#/ask?input=${id}`);
  await ask(tab, "colocate", 4);
  await finished(tab);
  await pictures("large", server.url, new URL(tab.url()).hash.split("?")[1]);
});
