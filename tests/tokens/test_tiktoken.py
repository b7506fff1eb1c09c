"""The tokenizer gives the tokens that npm's `tiktoken` gives, over a generated corpus: prose and
code, many scripts, emoji, marks, white space of all kinds, every character of Unicode in several
surroundings, random characters, and bytes that are not UTF-8."""

import glob
import os
import random
import subprocess
import tempfile
import unittest

SOURCE = os.environ["VIBE_SOURCE"]
DRIVER = os.path.join(os.environ["VIBE_BUILD"], "tests", "tools", "tokens_driver")
REFERENCE = os.path.join(SOURCE, "tests", "tokens", "tiktoken_reference.cjs")
SEED = 20200
LEAST_TOKENS = 500_000

SENTENCES = [
    "The quick brown fox doesn't jump over the lazy dog; it's asleep.",
    "I'LL say WE'VE been THERE, They'Re sure you'd've known, don't'S 'tis o'clock'M.",
    "HTTPServer getHTTPResponseCode XMLHttpRequest iPhone McDonald's ABCdefGHI aB1cD23e456f7890",
    "Thành phố Hồ Chí Minh có khoảng mười triệu người; tiếng Việt dùng nhiều dấu.",
    "北京是中华人民共和国的首都，人口超过两千万。你好，世界！",
    "東京は日本の首都です。カタカナとひらがな、漢字が混ざっています。ｆｕｌｌｗｉｄｔｈ　１２３",
    "القاهرة هي عاصمة جمهورية مصر العربية، وَالنَّصُّ المُشَكَّلُ أَطْوَلُ. ١٢٣٤٥٦",
    "ירושלים היא עיר עתיקה. שָׁלוֹם עֲלֵיכֶם!",
    "नमस्ते दुनिया, हिन्दी में संयुक्ताक्षर होते हैं। १२३४५",
    "สวัสดีชาวโลก ภาษาไทยไม่มีช่องว่างระหว่างคำ",
    "안녕하세요 세계! 한국어는 교착어입니다. 한글",
    "Привет, мир! Съешь ещё этих мягких французских булок, да ВЫПЕЙ чаю.",
    "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία. ΑΣΦΑΛΕΣ ς Σ σ",
    "Straße STRASSE ẞ ß İstanbul ıspanak ſtraſſe it'ſ Ǆ ǅ ǆ Ⱥⱥ 𐐀𐐨 Kelvin",
    "👩‍👩‍👧‍👦 👍🏽 🏳️‍🌈 🇫🇷🇩🇪 ❤️‍🔥 1️⃣ ☕️ 🧑🏿‍🚀 \U0001fae8",
    "e\u0301 n\u0303o o\u0302\u0323 Z\u0351\u036b\u0343a\u0321l\u034eg\u031bo\u0322 \u0301A \u0301\u0301AB A\u0301B",
    "x = {'a': [1, 2.5e-10, 0xFF], \"b\": None}  # comment // path/to/file.py\\n",
    "https://example.com/a/b?c=d&e=%20#frag ../../x/y.z //// /\n/\r\n",
    "a²b³ ½ ⅷ Ⅷ ① ٣ ৩ 〇 1234567 12,345.67 3.14159 1e9",
    "<|endoftext|> <|im_start|>user<|im_end|> <|fim_prefix|>",
]
SPACES = ["\t", "\n", "\v", "\f", "\r", "\x1c", "\x1f", " ", "\x85", "\xa0", "\u1680", "\u180e",
          "\u2000", "\u2005", "\u200a", "\u200b", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000",
          "\ufeff", "\r\n", "\n\n", "  ", "    "]


def prose(rng):
    for _ in range(3000):
        words = [w for s in rng.sample(SENTENCES, 4) for w in s.split(" ")]
        rng.shuffle(words)
        yield "".join(w + rng.choice([" ", " ", " ", "  ", "\n", "", ".", ", ", "'", "-"])
                      for w in words)


def code():
    for pattern in ("src/*/*.cpp", "scripts/*", "tests/*/*.py", "docs/*.md", "examples/*.yaml",
                    "node_modules/gpt-tokenizer/package.json",
                    "node_modules/gpt-tokenizer/esm/*.js"):
        for path in sorted(glob.glob(os.path.join(SOURCE, pattern)))[:60]:
            with open(path, encoding="utf-8") as file:
                yield file.read(60_000)


def white_space(rng):
    for _ in range(2000):
        yield "".join(rng.choice(SPACES) if rng.random() < 0.75 else rng.choice(["a", "B", "7", ".", "/"])
                      for _ in range(rng.randint(1, 30)))


def classes(rng):
    """Short texts over the classes that the pattern tells apart."""
    letters = ["a", "B", "ǅ", "漢", "ʰ", "\u0301", "1", "½", ".", "/", "'", " ", "\n", "\r", "\t",
               "\xa0", "s", "S", "ſ", "ll", "RE", "'ve", "😀", "\u0000", "\U000e0100"]
    for _ in range(12_000):
        yield "".join(rng.choices(letters, k=rng.randint(1, 12)))


def runs(rng):
    for unit in ["a", "A", " ", "\n", ".", "/", "-", "=", "0", "é", "漢", "😀", "\u0301", "ab",
                 "\u00a0", "aB", "'", "\t", "\r\n", "हि", "\x00", "\x7f"]:
        for length in (1, 2, 3, 5, 63, 64, 65, 100, 127, 128, 129, rng.randint(130, 1500)):
            yield unit * length


def every_character():
    """All but surrogates, 16 to a text, in surroundings that show the class of each."""
    points = [p for p in range(0x110000) if not 0xD800 <= p <= 0xDFFF]
    # Beyond the planes in use, one of 64 will do.
    points = [p for p in points if p < 0x32000 or 0xE0000 <= p < 0xE0200 or p % 64 == 0]
    for i in range(0, len(points), 16):
        yield "".join(f"a{c}b {c}A{c}{c}9{c}'s\n" for c in map(chr, points[i:i + 16]))


def random_characters(rng):
    ranges = [(0, 0x7F), (0, 0x7FF), (0, 0xFFFF), (0, 0x1FFFF), (0, 0x10FFFF), (0x300, 0x36F),
              (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0x1F300, 0x1FAFF)]
    for _ in range(3000):
        low, high = rng.choice(ranges)
        points = [rng.randint(low, high) for _ in range(rng.randint(1, 80))]
        yield "".join(chr(p) for p in points if not 0xD800 <= p <= 0xDFFF)


def broken(rng):
    """Bytes that are not UTF-8."""
    whole = " ".join(SENTENCES).encode()
    for _ in range(2500):
        begin = rng.randrange(len(whole))
        text = bytearray(whole[begin:begin + rng.randint(1, 60)])
        for _ in range(rng.randint(0, 6)):
            text.insert(rng.randint(0, len(text)),
                        rng.choice([0x80, 0xBF, 0xC0, 0xC3, 0xE0, 0xE2, 0xED, 0xF0, 0xF4, 0xF5, 0xFF,
                                    0xA0, 0x90, 0x9F, 0x8F]))
        yield bytes(text)
    for _ in range(1500):
        yield rng.randbytes(rng.randint(1, 40))


def corpus():
    rng = random.Random(SEED)
    parts = [SENTENCES, prose(rng), code(), white_space(rng), classes(rng), runs(rng),
             every_character(), random_characters(rng), broken(rng)]
    for part in parts:
        for text in part:
            yield text if isinstance(text, bytes) else text.encode()


def encode(command, path):
    done = subprocess.run([*command, path], stdout=subprocess.PIPE, check=True, cwd=SOURCE)
    return done.stdout.decode().splitlines()


class Tiktoken(unittest.TestCase):
    def test_gives_the_same_tokens(self):
        texts = list(corpus())
        with tempfile.NamedTemporaryFile() as file:
            for text in texts:
                file.write(b"%d\n%s" % (len(text), text))
            file.flush()
            ours = encode([DRIVER], file.name)
            theirs = encode(["node", REFERENCE], file.name)
        self.assertEqual(len(ours), len(texts))
        self.assertEqual(len(theirs), len(texts))
        wrong = [i for i in range(len(texts)) if ours[i] != theirs[i]]
        for i in wrong[:10]:
            print(f"{texts[i]!r}\n  ours   {ours[i]}\n  theirs {theirs[i]}")
        self.assertEqual(len(wrong), 0, f"of {len(texts)} texts")
        self.assertGreaterEqual(sum(line.count(" ") + 1 for line in ours), LEAST_TOKENS)


if __name__ == "__main__":
    unittest.main()
