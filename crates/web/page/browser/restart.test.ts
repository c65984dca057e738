import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ask, browse, open, scratch, serve, WITHIN } from "./harness";

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

it("notices a server that was started again and kept nothing", async () => {
  const browser = await browse();
  const first = await serve("examples/web-shop.yaml");
  const { tab, complaints } = await open(browser, first.url);
  await ask(tab, "provision", 2);
  const stale = tab.url();
  await first.kill();
  // The same address, another input: the page still open must not take one for the other.
  const address = new URL(first.url).host;
  const second = await serve("examples/divided-load.yaml", "--address", address);
  await tab.click(".submit button");
  await tab.waitForSelector(".problems >> text=the server no longer has this input");
  await expect.poll(() => tab.locator("#input option").allTextContents(), WITHIN).toEqual(["divided-load.yaml"]);
  await expect.poll(() => tab.locator(".runs li").count(), WITHIN).toBe(0);
  expect(await ask(tab, "divide", 2)).toMatch(/nodes, .*instances/);
  await expect.poll(() => tab.locator(".problems").count(), WITHIN).toBe(0);
  // Nor must an address that somebody kept.
  const later = await open(browser, stale);
  await later.tab.waitForFunction((old) => location.hash !== old, new URL(stale).hash);
  await expect.poll(() => later.tab.locator("#input option").allTextContents(), WITHIN).toEqual(["divided-load.yaml"]);
  expect([...complaints, ...later.complaints]).toEqual([]);
  await browser.close();
  await second.kill();
});

it("asks for the token, and keeps it out of the address", async () => {
  const secret = `made-for-this-test-${process.pid}`;
  const file = join(scratch(), "token");
  writeFileSync(file, secret);
  const browser = await browse();
  const server = await serve("examples/web-shop.yaml", "--token-file", file);
  const { tab, complaints } = await open(browser, server.url);
  await tab.fill("#token", "not-the-right-one");
  await tab.click("text=Enter");
  await tab.waitForSelector("text=This is not the token.");
  await tab.fill("#token", secret);
  await tab.click("text=Enter");
  await tab.waitForSelector(".map canvas");
  expect(tab.url()).not.toContain(secret);
  expect(await tab.evaluate(() => document.cookie)).toBe("");
  expect(await ask(tab, "colocate", 1)).toMatch(/of traffic local/);
  expect(complaints).toEqual([]);
  await browser.close();
  await server.kill();
});
