// `npm run bench:pages` measures after how long each page of the console shows its text to a phone on a slow network.
//
// Chromium delays each answer by the latency and slows its bytes down, and its processor works at a quarter of its speed.
// It takes no time to connect. A first visit waits for two round trips more, one of TCP and one of TLS 1.3, which stand in a
// column of their own: one connection is enough for a page, because the style sheet is asked for when the HTML has come.
// What is in neither: the look-up of the name, lost packets, and the slow start of TCP, which matters little here since
// HTML and style sheet each fit in the first window (10 segments, RFC 6928).
import { parseArgs } from "node:util";
import { type Browser, chromium, type Page } from "playwright-core";
import { CHROMIUM } from "../test/browser.ts";
import { OPEN } from "../test/fixtures.ts";
import { everyPage, forgetful, type Pages, SCREENS } from "../test/pages.ts";
import { type Scope, stacked } from "../test/sending.ts";
import { ownServer } from "../test/server.ts";
import { testService } from "../test/testservice.ts";
import { median } from "./numbers.ts";

const LATENCY_MS = 400;
const BYTES_PER_SECOND = 400_000 / 8;
const SLOWED_TIMES = 4;
/** The round trips of TCP and of TLS 1.3 before the first request. */
const CONNECTING_MS = 2 * LATENCY_MS;
const ROUNDS = 3;
const AT_MOST_MS = 2_000;
const SHOWN = 10;

/** When a page showed its first text, and when the largest part of it stood, in ms since somebody asked for it. */
type Times = { first: number; largest: number };
type Measured = { url: string } & Times;

const TIMES = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    const [first] = performance.getEntriesByName("first-contentful-paint");
    resolve({ first: first.startTime, largest: list.getEntries().at(-1).startTime });
  }).observe({ type: "largest-contentful-paint", buffered: true });
})`;

/** Opens a page of a browser on such a phone. */
async function openSlow(browser: Browser, pages: Pages): Promise<Page> {
  const page = await pages.open(browser, SCREENS[0]);
  const session = await forgetful(page);
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: LATENCY_MS,
    downloadThroughput: BYTES_PER_SECOND,
    uploadThroughput: BYTES_PER_SECOND,
  });
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWED_TIMES });
  return page;
}

/** Opens the page of an address so many times, each time in a browser that was never here. Returns the medians. */
async function measure(browser: Browser, pages: Pages, root: string, url: string): Promise<Measured> {
  const all: Times[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const page = await openSlow(browser, pages);
    await page.goto(root + url, { waitUntil: "load" });
    all.push((await page.evaluate(TIMES)) as Times);
    await page.context().close();
  }
  const of = (name: keyof Times) => median(all.map((times) => times[name]));
  return { url, first: of("first"), largest: of("largest") };
}

function print(measured: readonly Measured[]): void {
  const row = (...cells: string[]) => console.log(cells.map((cell) => cell.padStart(11)).join("  "));
  const rowOf = ({ first, largest, url }: Measured) =>
    row(first.toFixed(0), largest.toFixed(0), (largest + CONNECTING_MS).toFixed(0), ` ${url}`);
  const sorted = measured.toSorted((one, other) => other.largest - one.largest);
  row("first text", "all of it", "first visit", " ms");
  for (const one of sorted.slice(0, SHOWN)) rowOf(one);
  rowOf({ ...sorted[Math.floor(sorted.length / 2)]!, url: `the median of ${sorted.length} pages` });
}

/** Measures the pages whose addresses have one of these words, or all. Resolves to whether each was there in time. */
async function bench(scope: Scope, words: readonly string[]): Promise<boolean> {
  await ownServer(scope);
  const here = await testService(scope, OPEN);
  const pages = await everyPage(here);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  scope.after(() => browser.close());
  const wanted = pages.urls.filter((url) => words.length === 0 || words.some((word) => url.includes(word)));
  if (wanted.length === 0) throw new Error(`no page has ${words.join(" or ")} in its address`);
  // What compiles at the first request is no part of any page.
  await measure(browser, pages, here.url, wanted[0]!);
  const measured: Measured[] = [];
  for (const url of wanted) measured.push(await measure(browser, pages, here.url, url));
  print(measured);
  return measured.every(({ largest }) => largest <= AT_MOST_MS);
}

const closing: (() => Promise<void>)[] = [];
const scope = stacked({ after: (close) => void closing.push(close) });
try {
  process.exitCode = (await bench(scope, parseArgs({ allowPositionals: true }).positionals)) ? 0 : 1;
} finally {
  for (const close of closing) await close();
}
