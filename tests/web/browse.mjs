// Opens pages in Chromium and says what a reader would suffer from.
// Usage: browse.mjs PAGE.html [--as-it-is] [FOLDER]     screenshots go to FOLDER
// Prints JSON: a list of {view, problems} for each width and colour scheme. With --as-it-is, nothing is
// unfolded, and axe-core, which looks at every element, stays out: for pages of thousands of evals.
// axe-core takes nearly all of the time, so it sees each width and each colour scheme once, not all pairs.
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(path.join(process.env.VIBE_SOURCE, "package.json"));
const { chromium } = require("playwright-core");
const axe = require.resolve("axe-core/axe.min.js");

const VIEWS = [
  { name: "wide-light", width: 1280, colorScheme: "light", axe: true },
  { name: "wide-dark", width: 1280, colorScheme: "dark" },
  { name: "narrow-light", width: 400, colorScheme: "light" },
  { name: "narrow-dark", width: 400, colorScheme: "dark", axe: true },
];

const PATIENCE = 300_000;  // milliseconds, on a machine that does much else

async function look(browser, page_file, view, folder) {
  const problems = [];
  // Scripts of the page stay forbidden by its own policy; those of the test are not held to it.
  const context = await browser.newContext({
    viewport: { width: view.width, height: 900 }, colorScheme: view.colorScheme, bypassCSP: true,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const url = pathToFileURL(page_file).href;
  page.on("console", (message) => problems.push(`console: ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => problems.push(`script: ${error}`));
  page.on("dialog", (dialog) => { problems.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    if (request.url() !== url && !request.url().startsWith("data:")) problems.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  if (await page.title() === "owned") problems.push("a script of an answer ran");
  if (!as_it_is) {
    await page.evaluate(() => {
      for (const one of document.querySelectorAll("details")) one.open = true;
    });
  }
  const overflow = await page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    return [...document.querySelectorAll("body *")]
      .filter((one) => one.getBoundingClientRect().right > width + 0.5)
      .slice(0, 5).map((one) => `${one.tagName} ${one.className} ${one.textContent.slice(0, 40)}`);
  });
  if (overflow.length) problems.push(`scrolls sideways: ${overflow.join("; ")}`);
  const outside = await page.evaluate(() => [...document.querySelectorAll(".card *")]
    .filter((one) => !one.closest(".hidden, thead, svg") &&
                     one.getBoundingClientRect().right > one.closest(".card").getBoundingClientRect().right + 0.5)
    .slice(0, 5).map((one) => `${one.tagName} ${one.className} ${one.textContent.slice(0, 40)}`));
  if (outside.length) problems.push(`sticks out of its card: ${outside.join("; ")}`);
  if (folder) await page.screenshot({ path: path.join(folder, `${view.name}.png`), fullPage: false });
  if (view.axe && !as_it_is) {
    await page.addScriptTag({ path: axe });
    const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    for (const one of found.violations)
      if (["serious", "critical"].includes(one.impact))
        problems.push(`axe: ${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map((node) => node.html).join(" | ")}`);
  }
  const marks = await page.evaluate(() => document.querySelectorAll("script:not([src]), iframe, object, embed, img").length);
  if (marks > 1) problems.push(`${marks} elements that a report does not have`);
  await context.close();
  return { view: view.name, problems };
}

// Under its own policy the page has nothing to complain of, and the choice of what is shown works.
async function look_at_choice(browser, page_file) {
  const problems = [];
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.on("console", (message) => problems.push(`console: ${message.type()}: ${message.text()}`));
  await page.goto(pathToFileURL(page_file).href);
  const counts = {};
  if (await page.locator(".only-all").count() === 0) {  // a page of executions
    counts["executions"] = await page.locator(".eval").count();
    await page.close();
    return { view: "choice", problems, counts };
  }
  for (const choice of ["only-all", "only-others", "only-passed"]) {
    await page.locator(`.run`).first().locator(`.${choice}`).check({ force: true });
    counts[choice] = await page.evaluate(() =>
      [...document.querySelector(".run").querySelectorAll(".eval")].filter((one) => getComputedStyle(one).display !== "none").length);
  }
  await page.close();
  return { view: "choice", problems, counts };
}

const words = process.argv.slice(2);
const as_it_is = words.includes("--as-it-is");
const [page_file, folder] = words.filter((word) => word !== "--as-it-is");
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: process.getuid() === 0 ? ["--no-sandbox"] : [],
});
try {
  const out = [];
  for (const view of VIEWS) out.push(await look(browser, path.resolve(page_file), view, folder));
  out.push(await look_at_choice(browser, path.resolve(page_file)));
  console.log(JSON.stringify(out));
} finally {
  await browser.close();
}
