// A picture of every view for the web shop; with BAYPLAN_SCREENS=all in all four looks (light and
// dark, 1280 and 2560 pixels), for each question and for a larger cluster too; and of the file that
// BAYPLAN_SCREENS_INPUT names. They are looked at by people; what is tested is that nothing is cut
// off sideways.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cluster } from "./cluster";
import { ask, browse, loadExample, type Look, open, serve, type Server, shoot } from "./harness";

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
const INPUT = process.env.BAYPLAN_SCREENS_INPUT;
const SECONDS = Number(process.env.BAYPLAN_SCREENS_SECONDS ?? 4);

/** Nothing sticks out of the window or of the view's column. */
const overflow = (tab: Page) =>
  tab.evaluate(() =>
    [document.documentElement, document.querySelector("main")!].map((e) => e.scrollWidth - e.clientWidth),
  );

interface Studio {
  tab: Page;
  view: (title: string, ready: string) => Promise<void>;
  shot: (view: string) => Promise<void>;
}

/** The same views in one look after the other. */
async function inEveryLook(name: string, route: string, take: (studio: Studio) => Promise<void>) {
  for (const [look, size] of LOOKS.filter((_, i) => ALL || i === 0 || i === 3)) {
    const { tab, complaints } = await open(browser, `${server.url}#/load?${route}`, size);
    const view = async (title: string, ready: string) => {
      await tab.click(`nav >> text=${title}`);
      await tab.waitForSelector(ready);
    };
    const shot = async (view: string) => {
      await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      expect(await overflow(tab), `${name} ${view} ${look}`).toEqual([0, 0]);
      await shoot(tab, `${name}-${view}-${look}`);
    };
    await take({ tab, view, shot });
    expect(complaints).toEqual([]);
    await tab.close();
  }
}

async function everyView({ tab, view, shot }: Studio) {
  await shot("load");
  await view("Map", ".map canvas[data-paints]");
  await tab.waitForSelector("input[name=face][value=difference]:enabled", { state: "attached" });
  for (const face of ["before", "after", "difference"]) {
    await tab.check(`input[name=face][value=${face}]`, { force: true });
    await shot(`map-${face}`);
  }
  await tab.check("input[name=face][value=after]", { force: true });
  await tab.check("input[name=grouping][value=service]", { force: true });
  await tab.focus(".map .surface");
  await tab.keyboard.press("ArrowRight");
  await shot("map-service");
  await questionAndAnswer({ tab, view, shot });
  await view("Migration", ".scrubber input");
  await tab.focus(".scrubber input");
  await tab.keyboard.press("ArrowRight");
  await shot("migration");
  await view("Compare", ".aim tbody tr");
  await shot("compare");
}

async function questionAndAnswer({ tab, view, shot }: Studio) {
  await view("Ask", ".live .verdict.done");
  await shot("ask");
  await view("Answer", ".answer .verdict");
  await shot("answer");
  await tab.evaluate(() => document.querySelector("main")!.scrollTo(0, 1e6));
  await shot("answer-below");
}

const LONG = 400_000; // pictures of everything in every look

const route = (tab: Page) => new URL(tab.url()).hash.split("?")[1];

async function upload(name: string, body: string | Buffer) {
  const bytes = new Uint8Array(Buffer.from(body));
  const sent = await fetch(`${server.url}api/v1/inputs?name=${name}`, { method: "POST", body: bytes });
  return ((await sent.json()) as { id: string }).id;
}

it("pictures of the web shop", async () => {
  const { tab } = await open(browser, server.url);
  await ask(tab, "colocate", 2, () => tab.check("#option-frontier"));
  await inEveryLook("web-shop", route(tab), everyView);
});

it.runIf(ALL)("pictures of each question", { timeout: LONG }, async () => {
  const questions: [string, string, string?][] = [
    ["provision", "Growing shop"],
    ["colocate", "Web shop"],
    ["overcommit", "Steady fleet", "#option-curve"],
    ["divide", "Divided load"],
    ["admit", "Batch cluster"],
  ];
  for (const [verb, example, option] of questions) {
    const { tab } = await open(browser, server.url);
    await loadExample(tab, example);
    await ask(tab, verb, SECONDS, async () => {
      if (option) await tab.check(option);
    });
    await inEveryLook(verb, route(tab), async (studio) => {
      await studio.view("Map", ".map canvas[data-paints]");
      await studio.shot("map");
      await questionAndAnswer(studio);
    });
    await tab.close();
  }
});

it.runIf(ALL)("pictures of a larger cluster", { timeout: LONG }, async () => {
  const id = await upload("large.json", cluster(400, 60));
  const { tab } = await open(browser, `${server.url}#/ask?input=${id}`);
  await ask(tab, "colocate", SECONDS);
  await inEveryLook("large", route(tab), everyView);
});

it.runIf(INPUT)("pictures of a given input", { timeout: LONG }, async () => {
  const id = await upload(basename(INPUT!), readFileSync(INPUT!));
  const { tab } = await open(browser, `${server.url}#/ask?input=${id}`);
  await ask(tab, "colocate", SECONDS);
  await ask(tab, "colocate", SECONDS, () => tab.check("#option-frontier"));
  await inEveryLook("given", route(tab), everyView);
});
