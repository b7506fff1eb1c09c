// Makes data/prices.csv from the npm package @pydantic/genai-prices (MIT).
//
// Usage: node scripts/make_prices.mjs [PACKAGE [OUTPUT]]
//   PACKAGE  the package's folder; by default node_modules/@pydantic/genai-prices of the project
//   OUTPUT   the file to write, `-` for standard output; by default data/prices.csv
//
// The same package gives the same bytes. What was left out is counted on standard error.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";

const project = join(dirname(fileURLToPath(import.meta.url)), "..");
const folder = process.argv[2] ?? join(project, "node_modules/@pydantic/genai-prices");
const output = process.argv[3] ?? join(project, "data/prices.csv");

// The data has no date; this is the day the registry published the version.
const published = { "0.1.8": "2026-09-23" };

// Rates in our price table, in the order of the columns.
const rates = ["input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok"];
// Charges that token counts do not cover: with one of these, a cost from tokens alone would be too
// low.
const beyondTokens = ["requests_kcount", "output_reasoning_mtok", "output_citation_mtok"];

function fail(message) {
  console.error(`make_prices: ${message}`);
  process.exit(1);
}

// The package exports no list of its providers; the list is the first thing in its module.
function readProviders() {
  const text = readFileSync(join(folder, "dist/index.js"), "utf8");
  const begin = /^const \w+ = (?=\[)/.exec(text)?.[0].length;
  const end = text.indexOf("\n]");
  if (begin === undefined || end < 0) fail("dist/index.js does not begin with the list of providers");
  return runInNewContext(`(${text.slice(begin, end + 2)})`);
}

const left = {};
function leaveOut(why) {
  left[why] = (left[why] ?? 0) + 1;
}

// A rule of the data -> globs: `*` is any text, `#` a digit; `A!B` is what A fits and B does not.
const plain = (text) => {
  if (/[*#!,"\s]/.test(text)) fail(`a rule has a character that globs use: ${text}`);
  return text.toLowerCase();
};
function regexGlobs(regex) {
  if (regex === "^(?!.*-[tT][tT][sS](?:$|-))") return ["*!*-tts!*-tts-*"];
  const body = regex.replace(/^\^/, "").replace(/\$$/, "");
  const glob = body
    .replace(/\\d(?:\{(\d+)\})?/g, (_, count) => "#".repeat(Number(count ?? 1)))
    .replace(/\\([.[\]])/g, "$1");
  if (!regex.startsWith("^") || /[\\^$*+?(){}|]/.test(glob) || /(^|[^\\])[.[\]]/.test(body))
    fail(`a regular expression that globs cannot say: ${regex}`);
  return [(regex.endsWith("$") ? glob : `${glob}*`).toLowerCase()];
}
function globs(rule) {
  if ("equals" in rule) return [plain(rule.equals)];
  if ("starts_with" in rule) return [`${plain(rule.starts_with)}*`];
  if ("ends_with" in rule) return [`*${plain(rule.ends_with)}`];
  if ("contains" in rule) return [`*${plain(rule.contains)}*`];
  if ("regex" in rule) return regexGlobs(rule.regex);
  if ("or" in rule) return rule.or.flatMap(globs);
  if ("and" in rule && rule.and.length === 2) {
    const [first, second] = rule.and.map(globs);
    if (second.length === 1 && second[0].startsWith("*!"))
      return first.map((glob) => glob + second[0].slice(1));
  }
  return fail(`a rule that globs cannot say: ${JSON.stringify(rule)}`);
}

function seconds(time) {
  const [, hours, minutes, rest] = /^(\d\d):(\d\d):(\d\d)Z$/.exec(time) ?? fail(`a time: ${time}`);
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(rest);
}

// The prices on `date`, and a note if they are incomplete. If several constraints hold, the last
// wins; within a day, the one that holds longest.
function pricesOn(model, date) {
  if (!Array.isArray(model.prices)) return [model.prices, ""];
  const holds = ({ constraint }, second) => {
    if (constraint === undefined) return true;
    if (constraint.type === "start_date") return constraint.start_date <= date;
    const [from, to] = [seconds(constraint.start_time), seconds(constraint.end_time)];
    return from <= to ? second >= from && second < to : second >= from || second < to;
  };
  const share = new Map();
  for (let second = 0; second < 86400; second += 60) {
    const now = model.prices.findLast((row) => holds(row, second))?.prices;
    if (now === undefined) return [{}, ""];
    const key = JSON.stringify(now);
    share.set(key, (share.get(key) ?? 0) + 1);
  }
  const [longest] = [...share].sort((a, b) => b[1] - a[1])[0];
  const notes = [];
  if (share.size > 1) notes.push("depends on the time of day: the price of most of the day");
  for (const { constraint } of model.prices)
    if (constraint?.type === "start_date" && constraint.start_date > date)
      notes.push(`another price from ${constraint.start_date}`);
  return [JSON.parse(longest), notes.join("; ")];
}

const base = (rate) => (typeof rate === "object" ? rate.base : rate);
const above = (rate, start) =>
  typeof rate === "object" ? rate.tiers.findLast((tier) => tier.start <= start)?.price ?? rate.base
                           : rate;

function rowsOf(provider, model, date) {
  const routed = provider.id === "openrouter";
  if (routed && !model.id.includes("/")) return leaveOut("OpenRouter ids without a maker"), [];
  if (model.id.endsWith("-")) return leaveOut("whose id is only the beginning of one"), [];
  const [prices, note] = pricesOn(model, date);
  if (prices.input_mtok === undefined || prices.output_mtok === undefined)
    return leaveOut("without a price of input and output tokens"), [];
  if (beyondTokens.some((key) => prices[key] !== undefined))
    return leaveOut("with charges beyond tokens"), [];
  const id = routed ? model.id : `${provider.id}/${model.id}`;
  const rules = [...new Set(globs(model.match))];
  const match = rules.length === 1 && rules[0] === model.id.toLowerCase() ? "" : rules.join(" ");
  const starts = [...new Set(rates.flatMap((key) => prices[key]?.tiers ?? []).map((t) => t.start))];
  return [
    [provider.id, id, model.name ?? "", match, model.context_window ?? "", "",
     ...rates.map((key) => base(prices[key]) ?? ""), note],
    ...starts.sort((a, b) => a - b).map((start) =>
      [provider.id, id, "", "", "", start, ...rates.map((key) => above(prices[key], start) ?? ""), ""]),
  ];
}

const cell = (value) => {
  const text = String(value).trim();
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const date = published[version] ?? fail(`add the day on which ${version} was published`);
const rows = readProviders().flatMap((provider) =>
  provider.models.flatMap((model) => rowsOf(provider, model, date)));
const text = [
  `# made by scripts/make_prices.mjs from ${name} ${version}, data of ${date}`,
  "# Copyright (c) Pydantic Services Inc. 2025 to present, MIT licence: data/prices.LICENSE",
  "# US dollars for a million tokens; a row with `over` is the price of a prompt of more tokens than that",
  "seller,id,name,match,context,over,input,output,cache_read,cache_write,note",
  ...rows.map((row) => row.map(cell).join(",")),
].join("\n") + "\n";

if (output === "-") process.stdout.write(text);
else writeFileSync(output, text);
console.error(`make_prices: ${rows.filter((row) => row[5] === "").length} models`);
for (const [why, count] of Object.entries(left)) console.error(`make_prices: left out ${count} ${why}`);
