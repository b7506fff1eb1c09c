#include "fitness/syntax.h"

#include <cstdlib>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/repeated.h"
#include "fitness/fragment.h"

namespace vibe::fitness {
namespace {

using vibe::test::repeated;

std::string judged(std::string_view label, std::string_view code) {
  const Language* const language = find_language(label);
  if (!language) return "unknown";
  const auto [verdict, error] = check_syntax(*language, code);
  switch (verdict) {
    case SyntaxCheck::Verdict::parses: return "parses";
    case SyntaxCheck::Verdict::wrong:
      return fmt::format("{}:{}: {}", error.line, error.column, error.message);
    case SyntaxCheck::Verdict::not_judged: return "not judged";
  }
  std::abort();
}

struct CodeCase {
  const char *name, *label, *code;
  const char* want = "parses";
};
const CodeCase kCode[] = {
    // A program of each language, and one that is broken.
    {"python", "python", "@app.get('/')\nasync def f(x: int) -> str:\n    return f'{x}'\n"},
    {"python_broken", "python", "def add(a, b)\n    return a + b\n",
     "1:14: unexpected end of the line"},
    {"javascript", "js", "const {a, ...rest} = await f();\nexport default () => rest?.b ?? 1\n"},
    {"javascript_broken", "js", "function f(a, b {\n  return a;\n}\n", "1:16: missing `)`"},
    {"jsx", "jsx", "const x = <div className=\"a\">{y}</div>;\n"},
    {"typescript", "ts", "interface A<T> { x?: T }\nlet y = <any>z as A<number>;\n"},
    {"typescript_broken", "ts", "let x: = 1;\n", "1:8: unexpected `=`"},
    {"tsx", "tsx", "const x = <A<T> b={1}>{c as D}</A>;\n"},
    {"c", "c", "#include <stdio.h>\nint main(void) { printf(\"a\\n\"); return 0; }\n"},
    {"c_broken", "c", "int main(void) {\n  return 0;\n", "2:12: missing `}`"},
    {"cpp", "c++",
     "template <class T> concept C = requires(T t) { t.x(); };\nauto f(C auto x) { co_return x; "
     "}\n"},
    {"cpp_broken", "cpp", "int main() { std::vector<int> v{1, 2; }\n", "1:40: missing `}`"},
    {"rust", "rust", "impl<'a> A<'a> { async fn f(&self) -> Result<(), E> { self.g()?.await } }\n"},
    {"rust_broken", "rs", "fn main() { let = 5; }\n", "1:17: unexpected `=`"},
    {"go", "go", "package main\n\nfunc (s *S[T]) F() (int, error) { return 1, nil }\n"},
    {"go_broken", "golang", "func main() {\n\tx := \n}\n", "2:6: missing identifier"},
    {"java", "java",
     "record P(int x) { static <T> T f() { return switch (1) { default -> null; }; } }\n"},
    {"java_broken", "java", "class A { int x = ; }\n", "1:19: unexpected `;`"},
    {"bash", "bash",
     "for f in *.txt; do echo \"${f%.txt}\" | sort >&2; done\n[[ -f a ]] && b=$((1 + 2))\n"},
    {"bash_broken", "sh", "if [ -f x ]; then echo a\n", "2:1: missing `fi`"},
    {"sql", "sql",
     "WITH a AS (SELECT 1) SELECT count(*) OVER (PARTITION BY x) FROM a JOIN b USING (id);\n"},
    {"sql_broken", "sql", "SELECT * FROM t WHERE;\n", "1:22: unexpected `;`"},
    {"sql_misspelt", "sql", "SELEC * FORM t;\n", "1:1: unexpected `SELEC`"},
    {"json", "json", "{\"a\": [1, 2.5e3, null, \"\\u00e9\"]}\n"},
    {"json_broken", "json", "{\"port\": 8080, \"debug\": false,}\n", "1:31: unexpected `}`"},
    {"yaml", "yaml", "a: &b {c: [d, e]}\nf: *b\ng: |\n  text\n---\nh: 1\n"},
    {"yaml_broken", "yml", "a: b: c\n", "1:5: unexpected `:`"},
    {"html", "html", "<!doctype html><p>a &amp; b<br><img src=a></p>\n"},
    {"html_broken", "html", "<div class=\"a>b</div>\n", "2:1: unexpected end of the code"},
    {"css", "css", ":root { --x: 1px }\n@media (max-width: 3px) { .b:hover > a { margin: 0 } }\n"},
    {"css_broken", "css", ".a { color red; }\n", "1:15: unexpected `;`"},

    // Parts of programs, as answers show them.
    {"c_statements", "c", "int x = 5;\nfor (int i = 0; i < x; ++i) puts(\"a\");\nreturn x;\n"},
    {"c_call", "c", "foo(a, b)\n"},
    {"c_left_out", "c", "struct a { int x; };\n...\nint main(void) { ... }\n"},
    {"cpp_members", "cpp", "public:\n  explicit Foo(int x);\n  int bar() const { return 1; }\n"},
    {"rust_statements", "rust", "let v = a.iter().map(|x| x + 1);\nv.len()\n"},
    {"rust_method", "rust", "pub fn get(&self) -> usize { self.n }\n"},
    {"go_statements", "go", "x := 5\nif err != nil {\n\treturn err\n}\n"},
    {"go_fields", "go", "Name string `json:\"name\"`\nAge int\n"},
    {"java_method", "java", "@Override\npublic String toString() { return \"x\"; }\n"},
    {"java_members", "java", "private final int n;\nFoo(int n) { this.n = n; }\n"},
    {"java_expression", "java", "list.stream().map(x -> x + 1).toList()\n"},
    {"javascript_method", "js", "async get() { return 1; }\n"},
    {"javascript_object", "js", "name: 'a',\nrun() { return 1; },\n"},
    {"javascript_left_out", "js", "foo(...);\nconst x = { a: 1, ... };\n"},
    {"typescript_with_tags", "ts", "const x = <div>a</div>;\n"},
    {"python_except", "python", "except ValueError:\n    pass\n"},
    {"python_else", "python", "elif x:\n    pass\nelse:\n    pass\n"},
    {"python_typed_in", "python", ">>> x = 1\n>>> x\n1\n>>> for a in b:\n...     c\n"},
    {"python_indented", "python", "    def f(self):\n        return 1\n"},
    {"json_members", "json", "\"scripts\": {\"test\": \"x\"}\n"},
    {"json_left_out", "json", "{\n  \"a\": [1, …],\n  ...\n}\n"},
    {"json_lines", "json", "{\"a\": 1}\n{\"a\": 2}\n"},
    {"css_declarations", "css", "color: red;\nmargin: 0;\n"},
    {"sql_clause", "sql", "WHERE x = 1 ORDER BY y\n"},
    {"sql_parameters", "sql",
     "SELECT * FROM t WHERE a = ? AND b = :b AND c = @c AND [d e] = $1;\n"},
    {"sql_commands", "sql",
     "SHOW TABLES;\nSELECT TOP 10 * FROM [dbo].[t];\nGRANT SELECT ON t TO u;\n"},
    {"bash_placeholder", "bash", "git checkout <branch-name>\nnpm install <package> --save\n"},
    {"bash_prompt", "sh", "$ ls -la\n"},
    {"html_ampersand", "html", "<p>a & b</p>\n"},
    {"a_change", "python", "-x = (1\n+x = (1, 2)\n y = x\n"},
    // They do not excuse what is wrong in any surroundings.
    {"left_out_and_broken", "js", "...\nfoo(\n", "1:1: unexpected `.`"},
    {"closed_twice", "java", "class A { } }\n", "1:13: unexpected `}`"},
    {"a_transcript", "python", "$ ./program\nstarted\ndone.\n", "1:1: unexpected `$`"},

    {"columns_are_characters", "js", "let é = 'ế' + ;\n", "1:15: unexpected `;`"},
    {"empty", "python", ""},
    {"white", "json", "\n\n"},
};
class Code : public testing::TestWithParam<CodeCase> {};
TEST_P(Code, IsJudged) { EXPECT_EQ(judged(GetParam().label, GetParam().code), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(Syntax, Code, testing::ValuesIn(kCode),
                         [](const auto& one) { return one.param.name; });

TEST(Syntax, FindsLanguagesByTheirLabels) {
  std::set<std::string_view> seen;
  for (const auto& language : languages())
    for (const auto label : language.labels) {
      EXPECT_TRUE(seen.insert(label).second) << label;
      EXPECT_EQ(find_language(label), &language);
    }
  for (const auto* label :
       {"Python", "{.python}", "python,ignore", "language-python", "python{1,3}", "python:a.py"})
    EXPECT_EQ(find_language(label), find_language("python")) << label;
  // A transcript is no program, and JSON with comments is not JSON.
  for (const auto* label : {"console", "shell-session", "text", "diff", "jsonc", "json5",
                            "markdown", "", "{", "xml", "toml", "scss"})
    EXPECT_EQ(find_language(label), nullptr) << label;
  EXPECT_EQ(find_language("ruby")->grammar, nullptr);
  EXPECT_EQ(judged("ruby", "def ((("), "not judged");
}

TEST(Syntax, KnowsWhatIsAProgram) {
  for (const auto* label :
       {"py", "js", "ts", "tsx", "c", "cpp", "rs", "go", "java", "sh", "sql", "ruby"})
    EXPECT_TRUE(find_language(label)->programming) << label;
  for (const auto* label : {"json", "yaml", "html", "css"})
    EXPECT_FALSE(find_language(label)->programming) << label;
}

TEST(Syntax, TakesAnyBytes) {
  using namespace std::string_literals;
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  for (const auto& language : languages()) {
    check_syntax(language, repeated(bytes, 3));
    check_syntax(language, "\xC3"s);
    check_syntax(language, "a\0b"s);
  }
  EXPECT_EQ(judged("js", "x = '\xFF' + ;"), "1:11: unexpected `;`");
}

// Steps are counted: what takes more than code of its length does is given up, not judged.
TEST(Syntax, EndsOnHostileCode) {
  const std::string parts[] = {"(",    "[{",    "<a>",  "a:\n ",      "$x$", "\"",
                               "'",    "`",     "/*",   "<<A\n",      "- ",  "if x:\n",
                               "a b ", "#if\n", "f(<",  "case x in ", "${",  "R\"a(",
                               "\\\n", "…",     "a?b:", "<!--"};
  for (const auto& language : languages())
    for (const auto& part : parts)
      if (language.grammar) check_syntax(language, repeated(part, 5'000 / part.size()));
  for (const auto* label : {"json", "js", "c", "python", "yaml", "html", "rust"}) {
    const auto& language = *find_language(label);
    check_syntax(language, repeated("[", kMostCodeBytes));
    check_syntax(language, repeated("[", kMostCodeBytes / 2) + repeated("]", kMostCodeBytes / 2));
  }
  EXPECT_EQ(judged("json", repeated("[", kMostCodeBytes + 1)), "not judged");
}

TEST(Syntax, JudgesLongCode) {
  const std::string call = "total = compute(price, amount)\n";
  const std::string code = repeated(call, kMostCodeBytes / call.size() - 1);
  EXPECT_EQ(judged("python", code), "parses");
  EXPECT_EQ(judged("js", code), "parses");
  EXPECT_NE(judged("python", code + "x = )\n").find("unexpected `)`"), std::string::npos);
}

// Where the parser looks ahead again and again, it is not said to have come to an end.
TEST(Syntax, DoesNotJudgeWhatItDidNotRead) {
  const auto commented = [](std::size_t lines) {
    return "class A:\n" + repeated("    # why\n", lines) + "    x = 1\n";
  };
  EXPECT_EQ(judged("python", commented(100)), "parses");
  EXPECT_EQ(judged("python", commented(1000)), "not judged");
  EXPECT_EQ(judged("js", "f(a)\n" + repeated("// why\n", 2000) + ".b()\n"), "not judged");
}

TEST(Syntax, IsSafeFromManyThreads) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&wrong, t] {
      for (int round = 0; round < 20; ++round)
        for (const auto& one : kCode) wrong[t] += judged(one.label, one.code) != one.want;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

struct FragmentCase {
  const char *name, *code, *want;
};
const FragmentCase kElisions[] = {
    {"line", "a;\n...\nb;", "a;\n   \nb;"},
    {"block", "f() { ... }", "f() {     }"},
    {"comma_before_the_end", "[1, 2, ...]", "[1, 2     ]"},
    {"comma_on_the_line_before", "a: 1,\n  ...\n}", "a: 1 \n     \n}"},
    {"comma_behind_the_beginning", "[..., 3]", "[     3]"},
    {"between", "[1, ..., 3]", "[1,    , 3]"},
    {"spread_stays", "f(...a, ...b)", "f(...a, ...b)"},
    {"parameters_stay", "f(a...)", "f(a...)"},
    {"sign", "{ … }", "{     }"},
};
class Elisions : public testing::TestWithParam<FragmentCase> {};
TEST_P(Elisions, AreBlanked) { EXPECT_EQ(without_elisions(GetParam().code), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(Fragment, Elisions, testing::ValuesIn(kElisions),
                         [](const auto& one) { return one.param.name; });

TEST(Fragment, TakesTheMarksOfADiffAway) {
  EXPECT_EQ(without_diff_marks("@@ -1 +1 @@\n-a\n+b\n c\n"), "\n\nb\nc\n");
  EXPECT_EQ(without_diff_marks("-a\nb\n"), "-a\nb\n");
  EXPECT_EQ(without_diff_marks("  a\n  b\n"), "  a\n  b\n");
}

}  // namespace
}  // namespace vibe::fitness
