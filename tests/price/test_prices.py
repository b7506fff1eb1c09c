#!/usr/bin/env python3
"""data/prices.csv is what scripts/make_prices.mjs makes, and says what the package says.

Needs the project's node_modules (`npm ci --ignore-scripts --legacy-peer-deps`). The package's
own code is asked for prices, so that nothing here repeats a figure.
"""
import csv
import json
import os
import pathlib
import subprocess
import unittest

SOURCE = pathlib.Path(os.environ.get("VIBE_SOURCE", pathlib.Path(__file__).parents[2]))
PACKAGE = pathlib.Path(os.environ.get("VIBE_PRICES_PACKAGE",
                                      SOURCE / "node_modules/@pydantic/genai-prices"))
CSV = SOURCE / "data" / "prices.csv"

# [seller, name, tokens of the prompt] -> what a million tokens cost: input, output, or null.
ASK = """
import { calcPrice } from %s;
import { readFileSync } from "node:fs";
const [date, questions] = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(questions.map(([providerId, name, prompt]) => {
  const found = calcPrice({ input_tokens: prompt, output_tokens: 1e6 }, name,
                          { providerId, timestamp: new Date(date + "T12:00:00Z") });
  return found && [found.input_price / prompt * 1e6, found.output_price];
})));
"""


def rows():
    lines = CSV.read_text().splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


class Prices(unittest.TestCase):
    def setUp(self):
        if not (PACKAGE / "package.json").exists():
            self.fail(f"{PACKAGE} is not there: run `npm ci --ignore-scripts --legacy-peer-deps`")

    def test_the_script_makes_the_same_bytes(self):
        made = subprocess.run(["node", SOURCE / "scripts/make_prices.mjs", PACKAGE, "-"],
                              capture_output=True, check=True).stdout
        self.assertEqual(made, CSV.read_bytes(), "run `node scripts/make_prices.mjs`")

    def test_the_package_asks_the_same(self):
        head = CSV.read_text().splitlines()[0]
        date = head.rsplit(" ", 1)[1]
        questions, expected = [], []
        for row in rows():
            if "time of day" in row["note"]:
                continue
            name = row["id"] if row["seller"] == "openrouter" else row["id"].split("/", 1)[1]
            rules = row["match"].split() or ([name] if not row["over"] else [])
            exact = [rule for rule in rules if not set(rule) & set("*#!")]
            for one in exact or rules[:1]:
                sample = one.replace("#", "1").split("!")[0].strip("*")
                questions.append([row["seller"], sample, 1000])
                expected.append([float(row["input"]), float(row["output"])])
            if row["over"]:
                questions.append([row["seller"], questions[-1][1], int(row["over"]) + 1])
                expected.append([float(row["input"]), float(row["output"])])
        asked = subprocess.run(
            ["node", "--input-type=module", "-e", ASK % json.dumps(str(PACKAGE / "dist/index.js"))],
            input=json.dumps([date, questions]), capture_output=True, text=True, check=True).stdout
        answers = json.loads(asked)
        self.assertGreater(len(questions), 1500)
        for question, want, answer in zip(questions, expected, answers):
            with self.subTest(question=question):
                self.assertIsNotNone(answer)
                self.assertAlmostEqual(answer[0], want[0], places=9)
                self.assertAlmostEqual(answer[1], want[1], places=9)


if __name__ == "__main__":
    unittest.main()
