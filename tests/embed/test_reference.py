"""The encoder gives the pieces and the vectors that npm's `@energetic-ai/embeddings` gives, over a
corpus of prose and code, many scripts, emoji, marks, forms that Unicode holds to be the same, every
character that has a meaning, and bytes that are not UTF-8."""

import os
import random
import subprocess
import tempfile
import unicodedata
import unittest

SOURCE = os.environ["VIBE_SOURCE"]
DRIVER = os.path.join(os.environ["VIBE_BUILD"], "tests", "tools", "embed_driver")
REFERENCE = os.path.join(SOURCE, "tests", "embed", "embeddings_reference.cjs")
SEED = 512
MOST_DIFFERENCE = 2e-6  # of one number of a vector

TEXTS = [
    "",
    " ",
    "a",
    "Paris is the capital of France.",
    "The quick brown fox doesn't jump over the lazy dog; it's asleep.",
    "I do not like this. I like this. I don't think so!",
    "Meet me at 10:30 or 12:00 :-) :( :) see http://example.com/a/b?c=d — “5 ”5 ...",
    "THE ANSWER IS 42,000.50 USD (approx.), e.g. [see] {this} <that> & more @ 50%",
    "def f(x):\n    return {'a': [1, 2.5e-10, 0xFF]}  # comment\n",
    "for (int i = 0; i < 10; ++i) {\n\tx += 1;\r\n}",
    "Thành phố Hồ Chí Minh có khoảng mười triệu người; tiếng Việt dùng nhiều dấu.",
    "北京是中华人民共和国的首都，人口超过两千万。你好，世界！",
    "東京は日本の首都です。カタカナとひらがな、ｶﾞｷﾞｸﾞ、漢字が混ざっています。",
    "안녕하세요 세계! 한국어는 교착어입니다. \u1112\u1161\u11ab\u1100\u1173\u11af",
    "القاهرة هي عاصمة جمهورية مصر العربية، وَالنَّصُّ ﷺ ﷲ ﻻ",
    "नमस्ते दुनिया, हिन्दी में संयुक्ताक्षर होते हैं। क़ ख़",
    "Straße STRASSE ẞ ß İstanbul ıspanak ſtraſſe Ǆ ǅ ǆ K Å Ω",
    "👩‍👩‍👧‍👦 👍🏽 🏳️‍🌈 🇫🇷🇩🇪 ❤️‍🔥 1️⃣ ☕️ hello 😀😀 there 🧑🏿‍🚀",
    "😀",
    "e\u0301 n\u0303o o\u0302\u0323 o\u0323\u0302 q\u0307\u0323 Z\u0351\u036b\u0343a\u0321l\u034eg\u031bo\u0322 \u0301A",
    "ｆｕｌｌｗｉｄｔｈ　１２３ ＡＢＣ ﬁne eﬃcient ﬂow ½ ² ① Ⅷ ㎏ ㌔ ™ … ‥ ﹏ ⁇",
    "no-break\u00a0space thin\u2009space ideographic\u3000space zero\u200bwidth \u00ad soft \ufeff mark",
    "tab\there\nbreak\r\nbreak\n\n\n  two  spaces   three\x0b\x0c\x85",
    "▁ ▁the ▁▁ <s> </s> <unk> extra_token_id_1 \ufffd",
    "\x00\x01\x7f",
    "supercalifragilisticexpialidocious antidisestablishmentarianism xqzjkv",
    "word " * 130,
    "The committee, having met for the third time this year, decided that the new rules would not "
    "come into force before the end of the month, since several members had asked for more time to "
    "study the consequences, and because the ministry had not yet sent its comments on the draft. " * 3,
    "a" * 1500,
    "漢" * 700,
]


def sentences(rng):
    for _ in range(400):
        words = [w for t in rng.sample(TEXTS[:-4], 4) for w in t.split(" ")]
        rng.shuffle(words)
        yield "".join(w + rng.choice([" ", " ", " ", "  ", "\n", "", ".", ", ", "'", ":"])
                      for w in words)


def pieces_side_by_side(rng):
    """Short texts of what the vocabulary knows, and of what it does not."""
    parts = ["the", "ing", "s", " ", ":", "://", ":30", ":00", "0", "3", "a", "th", "”", "5", "“", "漢",
             "é", "\n", "-", ")", "(", ".", "er", "▁", "…", "I", "S", "qu", "z", "!"]
    for _ in range(3000):
        yield "".join(rng.choices(parts, k=rng.randint(1, 15)))


def every_character():
    points = [chr(p) for p in range(0x110000) if not 0xD800 <= p <= 0xDFFF]
    # What is newer than this Python's tables may be known to one side alone.
    points = [c for c in points if unicodedata.category(c) not in ("Cn", "Co")]
    points = [c for c in points if not 0xAC00 <= ord(c) <= 0xD7A3 or ord(c) % 16 == 0]
    for i in range(0, len(points), 32):
        yield "".join(f"a{c} {c}\u0301" for c in points[i:i + 32])


def marks(rng):
    """Sequences that composition has to put in order."""
    some = [chr(p) for p in range(0x0300, 0x0370)] + ["\u3099", "\u0f71", "\u0f72", "\u05b0", "\u1161",
                                                      "\u11a8", "\u0327", "\u0338"]
    starts = list("aeoAEO=<") + ["か", "\u1100", "ᄀ", "가", "ế", "ǖ", "\u0f40"]
    for _ in range(2000):
        yield "".join(rng.choice(starts) + "".join(rng.choices(some, k=rng.randint(0, 5)))
                      for _ in range(rng.randint(1, 8)))


def broken(rng):
    whole = " ".join(TEXTS[:20]).encode()
    for _ in range(500):
        begin = rng.randrange(len(whole))
        yield whole[begin:begin + rng.randint(1, 60)]
    for _ in range(500):
        yield rng.randbytes(rng.randint(1, 40))


def run(command, what, texts):
    with tempfile.NamedTemporaryFile() as file:
        for text in texts:
            file.write(b"%d\n%s" % (len(text), text))
        file.flush()
        done = subprocess.run([*command, what, file.name], stdout=subprocess.PIPE, check=True,
                              cwd=SOURCE)
    return done.stdout.decode().removesuffix("\n").split("\n")


class Reference(unittest.TestCase):
    def compare(self, what, texts):
        texts = [text if isinstance(text, bytes) else text.encode() for text in texts]
        ours, theirs = run([DRIVER], what, texts), run(["node", REFERENCE], what, texts)
        self.assertEqual(len(ours), len(texts))
        self.assertEqual(len(theirs), len(texts))
        return zip(texts, ours, theirs)

    def test_gives_the_same_pieces(self):
        rng = random.Random(SEED)
        texts = [*TEXTS, *sentences(rng), *pieces_side_by_side(rng), *every_character(), *marks(rng),
                 *broken(rng)]
        wrong = [each for each in self.compare("tokens", texts) if each[1] != each[2]]
        for text, ours, theirs in wrong[:10]:
            print(f"{text.decode(errors='replace')!r}\n  ours   {ours}\n  theirs {theirs}")
        self.assertEqual(len(wrong), 0, f"of {len(texts)} texts")

    def test_gives_the_same_vectors(self):
        rng = random.Random(SEED)
        texts = [*TEXTS, *list(sentences(rng))[:10], *list(broken(rng))[:5]]
        worst = 0
        for text, ours, theirs in self.compare("vectors", texts):
            ours, theirs = [[float(number) for number in line.split()] for line in (ours, theirs)]
            self.assertEqual(len(ours), 512)
            difference = max(abs(a - b) for a, b in zip(ours, theirs, strict=True))
            worst = max(worst, difference)
            self.assertLess(difference, MOST_DIFFERENCE, text.decode(errors="replace"))
        print(f"the largest difference in {len(texts)} vectors: {worst:.2g}")


if __name__ == "__main__":
    unittest.main()
