// The real server and a real browser. Chromium comes from the distribution, bayplan from cargo.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";

const page = resolve(import.meta.dirname, "..");
export const repository = resolve(page, "../../..");
export const output = join(page, "output");
const binary =
  process.env.BAYPLAN ?? join(process.env.CARGO_TARGET_DIR ?? join(repository, "target"), "release/bayplan");

/** The machine is shared and the solver takes what it gets: waits are long, none is exact. */
export const PATIENCE = 90_000;

/** For `expect.poll`: what a key or a click changes shows with a later frame, not at once. */
export const WITHIN = { timeout: PATIENCE };

export const scratch = () => mkdtempSync(join(tmpdir(), "bayplan-page-"));

export interface Server {
  url: string;
  /** Ends it at once, as a power cut would. */
  kill(): Promise<void>;
}

export function serve(...args: string[]): Promise<Server> {
  const address = args.includes("--address") ? [] : ["--address", "127.0.0.1:0"];
  const child: ChildProcess = spawn(binary, ["serve", ...address, "--threads", "1", ...args], {
    cwd: repository,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  const kill = () => (child.kill("SIGKILL"), ended);
  return new Promise((started, failed) => {
    let said = "";
    child.once("error", failed);
    child.once("exit", (code) => failed(new Error(`bayplan serve ended with ${code}: ${said}`)));
    child.stderr!.on("data", (text) => {
      said += text;
      const url = /http:\/\/\S+/.exec(said)?.[0];
      if (url) started({ url, kill });
    });
  });
}

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const browse = (...more: string[]): Promise<Browser> =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: [...FLAGS, ...more] });

export interface Look {
  width?: number;
  height?: number;
  scheme?: "light" | "dark";
}

/** A page that notes whatever the browser complains about: a test ends with `complaints` empty. */
export async function open(browser: Browser, url: string, { width = 1280, height = 800, scheme = "light" }: Look = {}) {
  const tab = await browser.newPage({ viewport: { width, height }, colorScheme: scheme });
  tab.setDefaultTimeout(PATIENCE);
  const complaints: string[] = [];
  tab.on("pageerror", (error) => complaints.push(String(error.stack)));
  // A refused request is a case the page handles; a broken policy or a script error is not.
  tab.on(
    "console",
    (message) =>
      message.type() === "error" && !/Failed to load resource/.test(message.text()) && complaints.push(message.text()),
  );
  // The page needs no network: whatever it asks for comes from the server that sent it.
  const origin = new URL(url).origin;
  tab.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== origin)
      complaints.push(`asked elsewhere: ${request.url()}`);
  });
  await tab.goto(url);
  await tab.waitForSelector("main h1, main canvas, form");
  return { tab, complaints };
}

export const loadExample = async (tab: Page, title: string) => {
  await tab.click("nav >> text=Load");
  await tab.click(`.examples >> text=${title}`);
  await tab.waitForSelector(".view-map canvas, .view-ask form, .view-map .nothing");
};

/** Asks and waits for the verdict. */
export async function ask(tab: Page, verb: string, seconds: number, fill?: () => Promise<void>): Promise<string> {
  await tab.click("nav >> text=Ask");
  await tab.check(`input[name=verb][value=${verb}]`);
  await fill?.();
  await tab.fill("#time", String(seconds));
  const before = await tab.evaluate(() => location.hash);
  await tab.click(".submit button");
  await tab.waitForFunction((old) => location.hash !== old, before);
  await finished(tab);
  return (await tab.textContent(".live .verdict")) ?? "";
}

export const finished = (tab: Page) =>
  tab.waitForSelector(".live .verdict:is(.done, .stopped, .failed)", { timeout: PATIENCE });

export async function shoot(tab: Page, name: string) {
  mkdirSync(output, { recursive: true });
  await tab.screenshot({ path: join(output, `${name}.png`) });
}
