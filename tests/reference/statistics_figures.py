"""Figures of the statistics reference that need no draws: exact tests of passes, Holm, power,
early stopping, contributions to a difference, the interval of a fitness aggregate."""

import itertools
import math
from fractions import Fraction

from formula_reference import total as add_up
from statistics_draws import clamp
from statistics_numbers import (
    ORDERS, Streams, beta_cdf, chi2_quantile, log_beta, normal_cdf, normal_quantile, t_quantile)

POWER = 0.8
ALL_ORDERS = 8      # players of which every order is looked at
PAIRS, MOST_PAIRS = 500, 5_000
CLOSE_ENOUGH = 0.01  # standard error / |difference|
RECENCY = (1.0, 0.9, 0.8, 0.7, 0.6)


# --- tests -------------------------------------------------------------------------------------

def mcnemar(wins, losses):
    """Exact and mid-p, two-sided. Wins: failed in the base, passed in the candidate."""
    n, k = wins + losses, min(wins, losses)
    below = Fraction(sum(math.comb(n, i) for i in range(k)), 2 ** n)
    at = Fraction(math.comb(n, k), 2 ** n)
    if n == 0:
        mid = Fraction(1)
    else:
        mid = 1 - at / 2 if wins == losses else 2 * below + at
    return {"wins": wins, "losses": losses, "p": float(min(1, 2 * (below + at))), "mid_p": float(mid)}


def holm(p_values):
    adjusted = [0.0] * len(p_values)
    so_far = 0.0
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    for rank, i in enumerate(order):
        so_far = max(so_far, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = so_far
    return adjusted


# --- power -------------------------------------------------------------------------------------

def power(n, r, se_other, se_rerun=None, effect=None, new_n=None, new_r=None, level=0.95):
    """Smallest differences that could be shown, and evals needed for a wished effect. Without
    se_rerun each question has one answer."""
    z = normal_quantile((1 + level) / 2) + normal_quantile(POWER)
    one_answer = se_rerun is None
    between = 0.0 if one_answer else max(0.0, se_other * se_other - se_rerun * se_rerun)
    result = {
        "mde_other": z * se_other,
        "mde_these": z * (se_other if one_answer else se_rerun),
        "floor": None if one_answer else z * math.sqrt(between),
    }
    if not one_answer and (new_n or new_r):
        m, k = new_n or n, new_r or r
        within = se_rerun * se_rerun
        result["se_other"] = math.sqrt(between * n / m + within * n * r / (m * k))
        result["se_these"] = math.sqrt(within * r / k)
    if effect:
        least = z * z * se_other * se_other * n / (effect * effect)
        k = (n - 1) / chi2_quantile(1 - POWER, n - 1)
        result["evals_low"], result["evals"] = math.ceil(least), math.ceil(least * k)
        result["more_evals_low"] = max(0, result["evals_low"] - n)
        result["more_evals"] = max(0, result["evals"] - n)
    return result


# --- early stopping ----------------------------------------------------------------------------

def e_process(wins, losses):
    """Evidence against "as many wins as losses", with a uniform prior."""
    n = wins + losses
    return float(Fraction(2 ** n * math.factorial(wins) * math.factorial(losses), math.factorial(n + 1)))


def threshold_e(passed, failed, share):
    """Evidence for a pass share above, and for one below a threshold, against the threshold: the
    prior is Beta(1/2, 1/2) cut off at the threshold."""
    def part(a, b):
        below = beta_cdf(share, 1 - share, a, b)
        return below, 1 - below
    before, after = part(0.5, 0.5), part(passed + 0.5, failed + 0.5)
    log_ratio = (log_beta(passed + 0.5, failed + 0.5) - log_beta(0.5, 0.5)
                 - passed * math.log(share) - failed * math.log1p(-share))
    ratio = math.exp(log_ratio)
    return {"below": ratio * after[0] / before[0], "above": ratio * after[1] / before[1]}


def spending(looks, alpha=0.05):
    """The level of each of several looks at equal distances, after O'Brien and Fleming."""
    z = normal_quantile(1 - alpha / 2)
    spent = [0.0] + [2 - 2 * normal_cdf(z / math.sqrt(k / looks)) for k in range(1, looks + 1)]
    return [b - a for a, b in zip(spent, spent[1:])]


# --- contributions -----------------------------------------------------------------------------

def shapley(players, value, seed=1, pairs=None, all_orders=ALL_ORDERS):
    """What each of `players` parts adds to value(all) - value(none); `value` takes the set of
    parts that come from the candidate. None if a value is undefined."""
    values = {}

    def known(chosen):
        if chosen not in values:
            values[chosen] = value(chosen)
        return values[chosen]

    exact = players <= all_orders
    try:
        if exact:
            parts, errors, done = exact_contributions(players, known), [0.0] * players, None
        else:
            parts, errors, done = sampled_contributions(players, known, seed, pairs)
    except TypeError:  # a difference with None
        return None
    return {"contributions": parts, "standard_errors": errors, "pairs": done, "exact": exact}


def exact_contributions(players, known):
    parts = [0.0] * players
    for i in range(players):
        others = [j for j in range(players) if j != i]
        terms = []
        for size in range(players):
            share = 1 / (players * math.comb(players - 1, size))
            for chosen in map(frozenset, itertools.combinations(others, size)):
                terms.append(share * (known(chosen | {i}) - known(chosen)))
        parts[i] = add_up(terms)
    return parts


def order_of(players, b, seed):
    """Permutation b: for k = 0, 1, ... exchange k with k + (u32 number k scaled to players - k)."""
    streams = Streams(seed, b)
    order = list(range(players))
    for k in range(players - 1):
        other = k + streams.index(ORDERS, k, players - k)
        order[k], order[other] = order[other], order[k]
    return order


def sampled_contributions(players, known, seed, pairs):
    """Each permutation is used with its reverse. Looks at the standard errors after every 500
    pairs."""
    total = abs(known(frozenset(range(players))) - known(frozenset()))
    sums, squares = [0.0] * players, [0.0] * players
    done = 0
    while True:
        order = order_of(players, done, seed)
        steps = [0.0] * players
        for way in (order, order[::-1]):
            chosen = frozenset()
            for i in way:
                before, chosen = chosen, chosen | {i}
                steps[i] += (known(chosen) - known(before)) / 2
        for i, step in enumerate(steps):
            sums[i] += step
            squares[i] += step * step
        done += 1
        if done % PAIRS == 0 or done == pairs:
            errors = [math.sqrt(max(0.0, q / done - (s / done) ** 2) / (done - 1))
                      for s, q in zip(sums, squares)]
            small = all(e < CLOSE_ENOUGH * total for e in errors)
            if done == pairs or (pairs is None and (small or done == MOST_PAIRS)):
                return [s / done for s in sums], errors, done


# --- fitness -----------------------------------------------------------------------------------

def fitness_aggregate(scores, level=0.95):
    """Scores newest first. The recency-weighted mean of the newest five after a tenth was trimmed
    at either end, and its interval."""
    n = len(scores)
    k = n // 10
    order = sorted(range(n), key=lambda i: (scores[i], -i))           # ties: the oldest first
    lowest = set(order[:k])
    order = sorted(range(n), key=lambda i: (-scores[i], -i))
    highest = set([i for i in order if i not in lowest][:k])
    kept = [scores[i] for i in range(n) if i not in lowest | highest]
    weights = RECENCY[:len(kept)]
    weights = [w / add_up(weights) for w in weights]
    aggregate = add_up(w * x for w, x in zip(weights, kept))
    if n < 3:
        return {"aggregate": aggregate, "low": None, "high": None}
    bounded = [clamp(x, min(kept), max(kept)) for x in scores]
    noise = variance(kept) * (add_up(w * w for w in weights) - 1 / len(kept))
    noise += variance(bounded) / ((1 - 2 * k / n) ** 2 * n)
    half = t_quantile((1 + level) / 2, len(kept) - 1) * math.sqrt(max(0.0, noise))
    return {"aggregate": aggregate, "low": max(0.0, aggregate - half), "high": min(100.0, aggregate + half)}


def variance(values):
    middle = add_up(values) / len(values)
    return add_up((x - middle) * (x - middle) for x in values) / (len(values) - 1)
