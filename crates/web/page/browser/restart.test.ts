import { join } from "node:path";
import { expect, it } from "vitest";
import { ask, browse, open, scratch, serve } from "./harness";

it("keeps finished runs over a power cut", async () => {
  const store = join(scratch(), "runs.redb");
  const browser = await browse();
  const first = await serve("examples/web-shop.yaml", "--store", store);
  const before = await open(browser, first.url);
  const verdict = await ask(before.tab, "provision", 2);
  const hash = await before.tab.evaluate(() => location.hash);
  await first.kill();
  await before.tab.fill("#time", "1");
  await before.tab.click(".submit button");
  await before.tab.waitForSelector(".problems >> text=the server does not answer");

  const second = await serve("--store", store);
  const after = await open(browser, second.url + hash.replace("/ask", "/answer"));
  await after.tab.waitForSelector(".answer .verdict");
  expect(await after.tab.textContent(".answer .verdict")).toBe(verdict);
  await after.tab.click("nav >> text=Map");
  await after.tab.waitForSelector(".map canvas");
  expect(after.complaints).toEqual([]);
  await browser.close();
  await second.kill();
});
