#!/usr/bin/env python3
"""Markdown, rendered as GitHub does it (cmark-gfm): what came from models and suites stands in code,
where it is no markup, no mention and no link."""
import html.parser
import os
import pathlib
import subprocess
import tempfile
import unittest

VIBE = pathlib.Path(os.environ["VIBE"]).resolve()
SOURCE = pathlib.Path(os.environ["VIBE_SOURCE"])
DRIVER = pathlib.Path(os.environ["VIBE_BUILD"]) / "tests" / "tools" / "report_driver"
MOST = 65536
# What our own words are made of.
TAGS = {"br", "h3", "p", "strong", "code", "pre", "ul", "li", "table", "thead", "tbody", "tr", "th", "td",
        "details", "summary", "sub"}
VOID = {"br", "hr", "img"}


class Page(html.parser.HTMLParser):
    """The text outside of code, the tags, the code, the rows of tables; fails for tags that do not match."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.plain, self.code, self.rows = [], set(), "", [], []
        self.feed(text)
        self.close()
        if self.open:
            raise AssertionError(f"not closed: {self.open}")

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        for name, value in attributes:
            if name not in ("open", "align", "class", "lang"):
                raise AssertionError(f"<{tag} {name}={value!r}>")
        if tag in VOID:
            return
        self.open.append(tag)
        if tag == "code":
            self.code.append("")
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        if tag in VOID:  # `<br />`
            return
        if not self.open or self.open.pop() != tag:
            raise AssertionError(f"</{tag}> ends something else")

    def handle_data(self, data):
        if "code" in self.open:
            self.code[-1] += data
        else:
            self.plain += data
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1] += data


def render(text):
    done = subprocess.run(["cmark-gfm", "--unsafe", "--extension", "table", "--extension", "autolink",
                           "--extension", "strikethrough", "--extension", "tasklist"],
                          input=text, capture_output=True, check=True, timeout=60)
    return Page(done.stdout.decode())


class Markdown(unittest.TestCase):
    def drive(self, *words):
        text = subprocess.run([DRIVER, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
                              timeout=60).stdout
        self.assertLessEqual(len(text), MOST)
        return text, render(text)

    def test_demo(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([VIBE, "check", "examples/support.yaml", "-q", "--markdown", f"{folder}/comment.md"],
                           cwd=SOURCE, env={"PATH": "/usr/bin:/bin", "HOME": folder}, check=True,
                           capture_output=True, timeout=60)
            text = pathlib.Path(folder, "comment.md").read_bytes()
        page = render(text)
        self.assertLessEqual(page.tags, TAGS)
        self.assertIn("✅ : score 80.17", page.plain)
        self.assertIn("Gate passed · 6 of 8 passed (75.0%) · $0.000094 · 0.64 s on average", page.plain)
        self.assertIn("100 * quality - 20000 * total_cost - 2 * avg_latency", page.code)
        self.assertEqual(page.rows[0], ["Result", "Eval", "Latency", "Cost", "Not passed"])
        self.assertEqual(len(page.rows), 9)
        self.assertEqual(page.rows[5], ["❌ failed", "sizes[twelve]", "0.58 s", "$0.000011", "match"])
        self.assertIn("US 12 for men is EU 45.\n", page.code)

    def test_nothing_breaks_out(self):
        text, page = self.drive("hostile", "markdown")
        self.assertLessEqual(page.tags, TAGS)
        for foreign in ("octocat", "example.com", "script", "onerror", "www", "#12", "heading", "reversed"):
            self.assertNotIn(foreign, page.plain, foreign)
            self.assertIn(foreign, "".join(page.code), foreign)
        self.assertEqual({len(row) for row in page.rows}, {5})
        self.assertEqual(text.count(b"<details"), text.count(b"</details>") - 1)  # one is an answer's
        self.assertIn("Turn 2 of 2: failed", page.plain)

    def test_long_tables_are_folded(self):
        text, page = self.drive("large", "markdown", "100")
        self.assertIn("100 evals", page.plain)
        self.assertEqual(len(page.rows), 101)
        self.assertNotIn(b"Left out", text)

    def test_large_runs_say_what_is_left_out(self):
        text, page = self.drive("large", "markdown", "5000")
        self.assertGreater(len(text), MOST / 2)
        self.assertLessEqual(page.tags, TAGS)
        self.assertRegex(page.plain, r"Left out to save space: [\d,]+ evals of the table and \d+ failures in full")
        # what did not pass is what is shown
        self.assertEqual({row[0] for row in page.rows[1:]} - {"❌ failed", "⚠️ error"}, set())

    def test_models_are_compared(self):
        _, page = self.drive("models", "markdown")
        self.assertEqual(page.rows[0], ["", "Model", "Score", "Success", "Cost", "Latency", "Result"])
        self.assertEqual([row[1] for row in page.rows[1:3]], ["openai/gpt-4o-mini", "anthropic/claude-3.5-sonnet"])

    def test_executions(self):
        _, page = self.drive("executions", "markdown", "5")
        self.assertEqual(page.rows[0], ["Grade", "Score", "Agent", "Session", "Calls", "Failed", "Tools", "Output",
                                        "Effic.", "Errors", "Struct.", "When"])
        self.assertEqual(page.rows[1][:6], ["A+", "40.00", "reviewer@v2", "session-0", "0", "0"])
        self.assertEqual(len(page.rows), 6)
        self.assertIn("5 of 6; ", page.plain)

    def test_nothing_of_executions_breaks_out(self):
        _, page = self.drive("hostile-executions", "markdown")
        self.assertLessEqual(page.tags, TAGS)
        for foreign in ("script", "onerror", "title"):
            self.assertNotIn(foreign, page.plain, foreign)
            self.assertIn(foreign, "".join(page.code), foreign)
        self.assertEqual({len(row) for row in page.rows}, {12})

    def test_many_executions_say_what_is_left_out(self):
        text, page = self.drive("executions", "markdown", "1000")
        self.assertGreater(len(text), MOST / 2)
        self.assertRegex(page.plain, r"\n\d+ of 1,001; ")


if __name__ == "__main__":
    unittest.main()
