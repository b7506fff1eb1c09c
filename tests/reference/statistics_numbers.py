"""Random numbers, tables and distributions of the statistics reference.

Plain Python, no libraries, no code shared with the engine. docs/statistics.md describes the streams
and the tables. Tables are rounded to multiples of 2^-20, so no draw depends on the last bit of a
logarithm.
"""

import decimal
import functools
import math
from statistics import NormalDist

BINS = 4096
GRID = 2 ** 20
MASK = 0xFFFFFFFF

# Streams: the third word of a Philox counter.
WEIGHTS, COPIES, ANSWERS, SHUFFLES, SWAPS, ORDERS, GAMMAS = range(7)
# Blocks of stream GAMMAS: pass terms from 0, questions of pass_at from 2^30, named evals from 2^31.
QUESTION_BLOCKS = 2 ** 30
NAMED_BLOCKS = 2 ** 31


# --- Philox4x32-10 -----------------------------------------------------------------------------

def philox(counter, key):
    """Four 32-bit words for a counter of four words and a key of two."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & MASK, (p0 >> 32) ^ c3 ^ k1, p0 & MASK
        k0, k1 = (k0 + 0x9E3779B9) & MASK, (k1 + 0xBB67AE85) & MASK
    return c0, c1, c2, c3


def fields(words):
    """The ten table places (0..4095) of one block: five in each 64-bit half, lowest bits first."""
    low, high = words[0] | words[1] << 32, words[2] | words[3] << 32
    return [half >> 12 * q & 4095 for half in (low, high) for q in range(5)]


class Streams:
    """The random numbers of one draw (or shuffle) `b`. `word` is 0 for the base or a single run,
    1 for the candidate."""

    def __init__(self, seed, b):
        self.key = (seed & MASK, seed >> 32 & MASK)
        self.b = b
        self.blocks = {}

    def block(self, stream, block, word=0):
        at = (stream, block, word)
        if at not in self.blocks:
            self.blocks[at] = philox((self.b, block, stream, word), self.key)
        return self.blocks[at]

    def place(self, place, word=0):
        """The table place of a unit, or of one of the run-wide pair, in stream 0."""
        return fields(self.block(WEIGHTS, place // 10, word))[place % 10]

    def field(self, block, q, word=0):
        """A table place of stream 6."""
        return fields(self.block(GAMMAS, block, word))[q]

    def index(self, stream, number, below, word=0):
        """The u32 with this number in the stream, four in a block, scaled to 0..below-1."""
        return self.block(stream, number // 4, word)[number % 4] * below >> 32

    def copied(self, term, which, below, word=0):
        return self.block(COPIES, term, word)[which] * below >> 32

    def bit(self, stream, number):
        return self.block(stream, number // 128)[number % 128 // 32] >> number % 32 & 1


# --- normal, beta, Student and chi-squared distributions ---------------------------------------

def normal_cdf(x):
    return 0.5 * math.erfc(-x / math.sqrt(2))


def normal_quantile(p):
    return NormalDist().inv_cdf(p)


STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400)


def stirling_rest(x):
    """log Gamma(x) minus Stirling's (x - 1/2) log x - x + log(2 pi) / 2, for x from 10 on."""
    return sum(c / x ** (2 * i + 1) for i, c in enumerate(STIRLING))


def log_beta(a, b):
    """log B(a, b), also where log Gamma of a large number would lose digits."""
    p, q = min(a, b), max(a, b)
    share = p / (p + q)
    if p >= 10:
        rest = stirling_rest(p) + stirling_rest(q) - stirling_rest(p + q)
        return (-0.5 * math.log(q) + 0.5 * math.log(2 * math.pi) + rest
                + (p - 0.5) * math.log(share) + q * math.log1p(-share))
    if q >= 10:
        rest = stirling_rest(q) - stirling_rest(p + q)
        return math.lgamma(p) + rest + p - p * math.log(p + q) + (q - 0.5) * math.log1p(-share)
    return math.log(math.gamma(p) * math.gamma(q) / math.gamma(p + q))


def beta_fraction(x, a, b):
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    h = d
    for m in range(1, 100000):
        for number in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                       -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1 + number * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + number / c
            c = c if abs(c) > tiny else tiny
            h *= d * c
        if abs(d * c - 1) < 1e-16:
            break
    return h


def beta_cdf(x, y, a, b):
    """I_x(a, b); y = 1 - x is given too, so that neither end loses digits."""
    if x <= 0 or y <= 0:
        return 0.0 if x <= 0 else 1.0
    log_x = math.log(x) if x < 0.5 else math.log1p(-y)
    log_y = math.log(y) if y < 0.5 else math.log1p(-x)
    front = math.exp(a * log_x + b * log_y - log_beta(a, b))
    if x < (a + 1) / (a + b + 2):
        return front * beta_fraction(x, a, b) / a
    return 1 - front * beta_fraction(y, b, a) / b


def bisect(rises, low, high):
    """Where `rises` turns true between low and high, to the last bit."""
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return middle
        low, high = (low, middle) if rises(middle) else (middle, high)


def beta_quantile(p, a, b):
    return bisect(lambda x: beta_cdf(x, 1 - x, a, b) >= p, 0.0, 1.0)


def t_upper(t, nu):
    """P(T > t) for t >= 0."""
    square = t * t
    return 0.5 * beta_cdf(nu / (nu + square), square / (nu + square), nu / 2, 0.5)


def t_quantile(p, nu):
    """For p from 1/2 on; nu may be infinite or a fraction."""
    if math.isinf(nu):
        return normal_quantile(p)
    if p == 0.5:
        return 0.0
    high = 2.0
    while t_upper(high, nu) > 1 - p:
        high *= 2
    return bisect(lambda t: t_upper(t, nu) <= 1 - p, 0.0, high)


def log_density(s, q):
    """log of q^s e^-q / Gamma(s), which is q times the density of Gamma(s)."""
    return s * math.log(q) - q - math.lgamma(s)


def gamma_series(s, q):
    """F_s(q) / (q^s e^-q / Gamma(s)), for moderate q."""
    total = term = 1 / s
    n = 0
    while term > total * 1e-18:
        n += 1
        term *= q / (s + n)
        total += term
    return total


def gamma_fraction(s, q):
    """(1 - F_s(q)) / (q^s e^-q / Gamma(s)), for q above s + 1."""
    tiny = 1e-300
    b = q + 1 - s
    c, d = 1 / tiny, 1 / b
    h = d
    for i in range(1, 100000):
        number = -i * (i - s)
        b += 2
        d = number * d + b
        d = 1 / (d if abs(d) > tiny else tiny)
        c = b + number / c
        c = c if abs(c) > tiny else tiny
        h *= d * c
        if abs(d * c - 1) < 1e-16:
            break
    return h


def gamma_cdf(s, q):
    """F_s(q) and 1 - F_s(q), the smaller of the two to full precision."""
    if q <= 0:
        return 0.0, 1.0
    front = math.exp(log_density(s, q))
    if q < s + 1:
        below = front * gamma_series(s, q)
        return below, 1 - below
    above = front * gamma_fraction(s, q)
    return 1 - above, above


def chi2_quantile(p, nu):
    return 2 * bisect(lambda q: gamma_cdf(nu / 2, q)[0] >= p, 0.0, 10 * nu + 100)


# --- tables of bin means -----------------------------------------------------------------------

def on_grid(values):
    return [round(v * GRID) / GRID for v in values]


@functools.lru_cache(None)
def exponential_table():
    """Exp(1), which is Gamma(1)."""
    def g(x):
        return x * math.log(x) if x > 0 else 0.0
    return on_grid(1 - BINS * (g(1 - k / BINS) - g(1 - (k + 1) / BINS)) for k in range(BINS))


@functools.lru_cache(None)
def half_table():
    """Gamma(1/2), the half of a squared normal number."""
    def z_density(k):
        if k == BINS:
            return 0.0
        z = normal_quantile(0.5 + k / (2 * BINS))
        return z * math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    edges = [z_density(k) for k in range(BINS + 1)]
    return on_grid(0.5 - BINS * (edges[k + 1] - edges[k]) for k in range(BINS))


@functools.lru_cache(None)
def normal_table():
    """Z of pass_at: the quantiles at the middle of the bins, not their means."""
    return on_grid(normal_quantile((k + 0.5) / BINS) for k in range(BINS))


def gamma_quantiles(s):
    """log q_k of F_s(q_k) = k/4096 for k = 1..4095, each found by Newton's steps from the last."""
    log_q = (math.log(1 / BINS) + math.lgamma(s + 1)) / s  # F_s(q) is about q^s / Gamma(s + 1)
    for k in range(1, BINS):
        u = k / BINS
        for _ in range(60):
            q = math.exp(log_q)
            front = s * log_q - q - math.lgamma(s)
            if 2 * k <= BINS or q < s + 1:
                gap = front + math.log(gamma_series(s, q)) - math.log(u)
                slope = 1 / gamma_series(s, q)
            else:
                gap = front + math.log(gamma_fraction(s, q)) - math.log(1 - u)
                slope = -1 / gamma_fraction(s, q)
            step = gap / slope
            log_q -= step
            if abs(step) < 4e-16 * max(1.0, abs(log_q)):
                break
        yield log_q


class Precise:
    """q_k^s e^-q_k / Gamma(s) to 40 digits, for the few bins whose rounding is in doubt."""

    def __init__(self, s):
        self.context = decimal.Context(prec=60, Emin=-10 ** 9, Emax=10 ** 9)
        with decimal.localcontext(self.context):
            self.s = decimal.Decimal(s)
            far = decimal.Decimal(120)
            self.gamma = (self.s * far.ln() - far).exp() * self.series(far)

    def series(self, q):
        total = term = 1 / self.s
        n = 0
        while term > total * decimal.Decimal("1e-55"):
            n += 1
            term *= q / (self.s + n)
            total += term
        return total

    def density(self, log_q, k):
        if k in (0, BINS):
            return decimal.Decimal(0)
        with decimal.localcontext(self.context):
            x = decimal.Decimal(log_q)
            for _ in range(3):
                q = x.exp()
                front = (self.s * x - q).exp() / self.gamma
                x -= (front * self.series(q) - decimal.Decimal(k) / BINS) / front
            return (self.s * x - x.exp()).exp() / self.gamma


@functools.lru_cache(None)
def gamma_table(s):
    """Gamma(s) for any shape: with h = q^s e^-q / Gamma(s), the mean of bin k is
    s - 4096 (h(q_{k+1}) - h(q_k))."""
    if s == 1:
        return exponential_table()
    if s == 0.5:
        return half_table()
    log_q = [0.0, *gamma_quantiles(s), 0.0]
    h = [0.0, *(math.exp(s * x - math.exp(x) - math.lgamma(s)) for x in log_q[1:BINS]), 0.0]
    precise = None
    table = []
    for k in range(BINS):
        scaled = (s - BINS * (h[k + 1] - h[k])) * GRID
        if abs(scaled % 1 - 0.5) < 1e-3:
            precise = precise or Precise(s)
            with decimal.localcontext(precise.context):
                rise = precise.density(log_q[k + 1], k + 1) - precise.density(log_q[k], k)
                scaled = (precise.s - BINS * rise) * GRID
        table.append(round(scaled) / GRID)
    return table
