"""Tests of the statistics reference itself: values worked out by hand, by enumeration or by
quadrature, known answers of the generator and of the tables, and laws that any version must keep."""

import itertools
import json
import math
import os
import subprocess
import sys
import unittest

from statistics_draws import Runs
from statistics_figures import holm, mcnemar, order_of, power, spending, threshold_e
from statistics_intervals import options_of, read_plan
from statistics_numbers import (
    GRID, beta_cdf, beta_quantile, chi2_quantile, exponential_table, fields, gamma_table, half_table,
    normal_table, philox, t_quantile, t_upper)
from statistics_reference import answer, lambda_of_evals, percentile
from statistics_weights import Side, Weights

PASSED = (1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 1)
COSTS = (.010, .020, .030, .015, .025, .012, .040, .018, .022, .011, .019, .028)
PAIRS_OF_PASSES = "11 10 00 11 11 01 11 10 11 11"
PAIRS_OF_COSTS = ((.01, .02), (.03, .01), (.02, .02), (.01, .03), (.02, .04), (.05, .01), (.01, .01),
                  (.02, .03), (.04, .02), (.03, .03))
BASE = [[(0, .01, 1.0), (1, .02, 1.5)], [(1, .03, 2.0), (0, .02, 1.2)], [(0, .02, .9), (0, .01, 1.1)]]
CANDIDATE = [[(1, .02, 1.3), (1, .01, .8)], [(1, .02, 1.0), (1, .03, 2.2)], [(0, .01, .7), (1, .02, 1.6)]]


def reply(passed, cost=0.01, latency=1.0, **more):
    return {"passed": passed, "cost": cost, "latency": latency, **more}


def single(passed, costs=None):
    """Evals e0, e1, ... with one answer each."""
    costs = costs or [0.01] * len(passed)
    return [{"name": f"e{i}", "cases": [[reply(p, c)]]} for i, (p, c) in enumerate(zip(passed, costs))]


def repeated(rows, names=None):
    """Evals with the answers of each row: (passed, cost, latency)."""
    names = names or [f"e{i}" for i in range(len(rows))]
    return [{"name": n, "cases": [[reply(*x) for x in row]]} for n, row in zip(names, rows)]


def two_by_five():
    names = [f"{group}-{i}" for group in "ab" for i in range(1, 6)]
    passes = [[int(c) for c in word] for word in PAIRS_OF_PASSES.split()]
    return repeated([list(zip(p, c)) for p, c in zip(passes, PAIRS_OF_COSTS)], names)


def interval(evals, formula="success_pct", **more):
    return answer({"do": "interval", "evals": evals, "formula": formula, **more})


def compare(base, candidate, formula="success_pct", **more):
    return answer({"do": "compare", "base": base, "candidate": candidate, "formula": formula,
                   "draws": 500, **more})


def runs_of(evals, formula, **more):
    plan = read_plan(options_of({"formula": formula, **more}), evals, evals)
    return Runs(plan, [Side(plan.layout, [c for e in evals for c in e["cases"]])])


def legendre(n):
    """Nodes and weights for the integral from 0 to 1."""
    result = []
    for i in range(n):
        x = math.cos(math.pi * (i + 0.75) / (n + 0.5))
        for _ in range(50):
            p, q = 1.0, 0.0
            for j in range(n):
                p, q = ((2 * j + 1) * x * p - j * q) / (j + 1), p
            slope = n * (x * p - q) / (x * x - 1)
            x -= p / slope
        result.append(((x + 1) / 2, 1 / ((1 - x * x) * slope * slope)))
    return result


class Numbers(unittest.TestCase):
    def test_philox(self):
        words = {(0, 0): "6627e8d5 e169c58d bc57ac4c 9b00dbd8",
                 (0xffffffff, 0xffffffff): "408f276d 41c83b0e a20bc7c6 6d5451fd"}
        for (word, key), expected in words.items():
            self.assertEqual(" ".join(f"{x:08x}" for x in philox([word] * 4, [key] * 2)), expected)

    def test_fields(self):
        words = (0x89abcdef, 0x01234567, 0, 0xfedcba98)
        low, high = 0x0123456789abcdef, 0xfedcba9800000000
        expected = [low >> 12 * q & 0xfff for q in range(5)] + [high >> 12 * q & 0xfff for q in range(5)]
        self.assertEqual(fields(words), expected)

    def test_tables(self):
        known = {1: ({0: 128, 2048: 727074, 4095: 9770386}, 4294967312),
                 1 / 2: ({2048: 238654, 4095: 8045123}, 2147483668),
                 1 / 3: ({2048: 100234, 4095: 7299125}, 1431655761),
                 2 / 3: ({2048: 395030, 4095: 8678106}, 2863311523),
                 4 / 3: ({2048: 1068561, 4095: 10732401}, 5726623063)}
        for shape, (entries, total) in known.items():
            table = gamma_table(shape)
            with self.subTest(shape=shape):
                self.assertEqual({k: table[k] * GRID for k in entries}, entries)
                self.assertEqual(sum(table) * GRID, total)
                self.assertEqual(len(table), 4096)
                self.assertEqual(sorted(table), table)
        self.assertIs(gamma_table(1.0), exponential_table())
        self.assertIs(gamma_table(0.5), half_table())

    def test_moments_of_exponential_table(self):
        table = exponential_table()
        mean = sum(table) / 4096
        self.assertAlmostEqual(mean, 1, 7)
        self.assertAlmostEqual(sum((x - mean) ** 2 for x in table) / 4096, .99974, 5)
        self.assertAlmostEqual(sum((x - mean) ** 3 for x in table) / 4096, 1.993, 3)

    def test_normal_table(self):
        table = normal_table()
        self.assertEqual(table, [-x for x in table[::-1]])
        self.assertAlmostEqual(table[4095], 3.668, 3)

    def test_distributions(self):
        self.assertAlmostEqual(t_quantile(.975, 1), 12.706204736, 9)
        self.assertAlmostEqual(t_quantile(.975, 4), 2.776445105, 9)
        self.assertAlmostEqual(t_quantile(.975, math.inf), 1.959963985, 9)
        self.assertAlmostEqual(t_upper(t_quantile(.975, 6.6), 6.6), .025, 15)
        self.assertAlmostEqual(chi2_quantile(.2, 2), -2 * math.log(.8), 12)
        self.assertAlmostEqual(beta_cdf(.3, .7, 2, 1), .09, 15)
        for n, k in ((20, 1.39), (50, 1.21), (100, 1.14)):
            self.assertAlmostEqual((n - 1) / chi2_quantile(.2, n - 1), k, 2)

    def test_lambda(self):
        known = {10: .006193752957, 20: .013888288803, 50: .02017358965, 100: .022526497721,
                 200: .023748513917, 500: .024495913642, 5: .0005}
        for n, expected in known.items():
            self.assertEqual(lambda_of_evals(n), expected)


class WeightedAggregates(unittest.TestCase):
    def test_percentile(self):
        for values, weights, p, expected in (((1, 2, 3, 4), (1, 1, 1, 1), 75, 3.25),
                                             ((1, 2, 3, 4), (1, 1, 1, 1), 95, 3.85),
                                             ((3, 1, 2), (2, 1, .5), 50, 2.2),
                                             ((1, 2), (1, 3), 50, 1.5),
                                             ((1, 9, 2), (1, 0, 1), 100, 2)):
            self.assertAlmostEqual(percentile(values, weights, p), expected, 12)

    def test_weights_of_one_change_nothing(self):
        evals = repeated(BASE)
        for formula in ("success_pct", "total_cost", "avg_latency", "stddev(latency)", "median(cost)",
                        "percentile(latency, 95)", "count(cost)", "e1 + e1_cost", "pass_rate(\"e*\")",
                        "pass_at(1)", "max_latency", "sum(cost, \"e1\")"):
            runs = runs_of(evals, formula)
            with self.subTest(formula=formula):
                self.assertAlmostEqual(runs.theta([Weights()]), runs.plain_scores()[0], 12)

    def test_plain_dirichlet(self):
        """Uniform weights of three evals, by quadrature: mean and standard deviation of the score."""
        evals = single((1, 0, 1), (.01, .03, .02))
        runs = runs_of(evals, "success_pct / total_cost", smallest=3)
        moments = [0.0, 0.0]
        for (s, ds), (t, dt) in itertools.product(legendre(24), repeat=2):
            w = Weights()
            w.units = {0: s, 1: (1 - s) * t, 2: (1 - s) * (1 - t)}
            x = runs.theta([w])
            for power_of_x in (0, 1):
                moments[power_of_x] += 2 * (1 - s) * ds * dt * x ** (power_of_x + 1)
        self.assertAlmostEqual(moments[0], 1234.85168, 5)
        self.assertAlmostEqual(math.sqrt(moments[1] - moments[0] ** 2), 634.80901, 5)

    def test_asked_again_without_smoothing(self):
        """All picks of r - 1 answers."""
        for passes, r, expected in (((2, 1, 0), 2, 277.777778), ((3, 1, 2), 3, 246.913580)):
            runs = runs_of(repeated([[(int(j < p), .01) for j in range(r)] for p in passes]), "success_pct")
            values = []
            for picks in itertools.product(range(r), repeat=(r - 1) * len(passes)):
                w = Weights()
                for q in range(len(passes)):
                    chosen = picks[(r - 1) * q:(r - 1) * (q + 1)]
                    w.counts[q] = [chosen.count(j) for j in range(r)]
                    w.factors[q] = r / (r - 1)
                values.append(runs.theta([w]))
            middle = sum(values) / len(values)
            self.assertAlmostEqual(sum((x - middle) ** 2 for x in values) / len(values), expected, 6)

    def test_pass_at(self):
        for r, c, k, at, every in ((5, 3, 2, 9 / 10, 3 / 10), (10, 4, 3, 5 / 6, 1 / 30), (3, 0, 2, 0, 0),
                                   (3, 3, 3, 1, 1), (2, 1, 3, None, None), (5, 1, 5, 1, 0)):
            for what, expected in (("pass_at", at), ("pass_all", every)):
                value = answer({"do": what, "answers": r, "passed": c, "k": k})["value"]
                if expected is None:
                    self.assertIsNone(value)
                else:
                    self.assertAlmostEqual(value, expected, 15)

    def test_design_effect(self):
        for shares, expected in (((1, 1, 1, 1), 1), ((.8, .6, 1, .4, .8), 2.029411765)):
            m = answer({"do": "design_effect", "shares": shares, "most": 5})["value"]
            self.assertAlmostEqual(m, expected, 9)


class Intervals(unittest.TestCase):
    def assert_ends(self, ends, low, high, places=6):
        self.assertAlmostEqual(ends["low"], low, places)
        self.assertAlmostEqual(ends["high"], high, places)

    def test_closed_form(self):
        for passed, n, low, high in ((5, 5, 28.172691, 100), (10, 10, 62.989554, 100),
                                     (7, 10, 31.643158, 92.692515), (20, 20, 81.574553, 100),
                                     (19, 20, 73.668510, 99.141498), (16, 20, 55.423610, 92.918750),
                                     (50, 50, 92.631875, 100), (47, 50, 83.243280, 97.961892)):
            result = interval(single([1] * passed + [0] * (n - passed)))
            with self.subTest(passed=passed, n=n):
                self.assert_ends(result["interval"], low, high)
                self.assertEqual(result["draws"], {"seed": 1, "count": 0, "method": "beta-1"})
                self.assertIsNone(result["rerun_interval"])

    def test_whole_intervals(self):
        for passed, formula, score, low, high, middle in (
                (PASSED, "success_pct", 83.333333, 49.119668, 96.898923, 78.624308),
                (PASSED, "success_pct / total_cost", 333.333333, 162.440940, 478.554972, 320.659479),
                (PASSED, "0.7*success_pct + 30/(1+total_cost)", 82.333333, 57.559099, 92.421058, 79.045232),
                ([1] * 12, "success_pct", 100, 69.980491, 100, 92.862124),
                ([1] * 12, "success_pct / total_cost", 400, 255.218177, 501.812875, 375.779349)):
            result = interval(single(passed, COSTS), formula, closed_form=False)
            with self.subTest(formula=formula):
                self.assertAlmostEqual(result["score"], score, 6)
                self.assert_ends(result["interval"], low, high)
                self.assertAlmostEqual(result["other"]["mean"], middle, 6)
                self.assertEqual(result["draws"], {"seed": 1, "count": 10000, "method": "sbb-1"})

    def test_closed_form_by_draws(self):
        evals = single([1] * 16 + [0] * 4)
        drawn, exact = (interval(evals, closed_form=way)["interval"] for way in (False, True))
        self.assertAlmostEqual(drawn["low"], exact["low"], delta=1.5)
        self.assertAlmostEqual(drawn["high"], exact["high"], delta=.5)

    def assert_draws(self, result, which, values, places=10):
        for value, expected in zip(result[which]["values"], values, strict=True):
            self.assertAlmostEqual(value, expected, places)

    def test_first_draws(self):
        evals = single((1, 1, 0, 1, 1), (.01, .02, .03, .015, .025))
        for formula, values, places in (("success_pct", (77.3544960406, 68.2930210012), 10),
                                        ("success_pct/total_cost", (724.432959227, 574.027574954), 9)):
            result = interval(evals, formula, draws=100, show=2, closed_form=False)
            self.assert_draws(result, "other", values, places)

    def test_first_draws_with_two_answers(self):
        evals = two_by_five()
        globs = "50*pass_rate(\"a-*\") + 50*pass_rate(\"b-*\")"
        for formula, other, rerun in (
                ("success_pct", (65.5824423264, 63.4617613065), (69.9130517942, 60.0154726596)),
                (globs, (65.9536769954, 77.2232849925), (69.4023984799, 62.8664913378)),
                ("100*{a-1} + success_pct", (110.3329130457, 165.5914302660),
                 (112.9744041045, 159.7358943751))):
            result = interval(evals, formula, draws=100, show=2)
            with self.subTest(formula=formula):
                self.assert_draws(result, "other", other)
                self.assert_draws(result, "rerun", rerun)

    def test_what_two_answers_lead_to_expect(self):
        runs = runs_of(two_by_five(), "success_pct")
        self.assertAlmostEqual(runs.terms[0].m, 1.43373494, 8)
        globs = "50*pass_rate(\"a-*\") + 50*pass_rate(\"b-*\")"
        runs = runs_of(two_by_five(), globs)
        self.assertEqual([round(runs.term_shares[0]["glob", g], 4) for g in ("a-*", "b-*")], [.6, .5667])
        result = interval(two_by_five(), globs, draws=100)
        self.assertAlmostEqual(result["other"]["nu"], 1.21 / .1825, 10)
        self.assertEqual(result["other"]["lambda"], .001699527888)

    def test_moments_without_passes(self):
        """Mean of the costs, population variance / (n + 1)."""
        result = interval(single(PASSED, COSTS), "avg_cost")
        middle = sum(COSTS) / 12
        spread = sum((x - middle) ** 2 for x in COSTS) / 12 / 13
        self.assertAlmostEqual(result["other"]["mean"], middle, delta=4 * math.sqrt(spread / 10000))
        self.assertAlmostEqual(result["other"]["sd"], math.sqrt(spread), delta=.03 * math.sqrt(spread))

    def test_moments_with_pseudo_evals(self):
        result = interval(single((1, 0, 1), (.01, .03, .02)), "avg_cost + 0 * success_pct", smallest=3)
        self.assertAlmostEqual(result["other"]["mean"], .02, delta=4 * math.sqrt(1.555556e-5 / 10000))
        self.assertAlmostEqual(result["other"]["sd"] ** 2, 1.555556e-5, delta=.06 * 1.555556e-5)

    def test_degenerate_data(self):
        all_passed = interval(repeated([[(1, .01)] * 5] * 20), draws=4000)
        self.assertAlmostEqual(all_passed["interval"]["low"], 81.6, delta=1)
        self.assertAlmostEqual(all_passed["rerun_interval"]["low"], 95.6, delta=.5)
        self.assertEqual(all_passed["interval"]["high"], 100)
        self.assertEqual(all_passed["rerun_interval"]["high"], 100)

        one = interval(single([1]), "100 * e0")
        self.assertIsNone(one["interval"])
        self.assertEqual(one["other"]["refusal"], "named_only")
        self.assertAlmostEqual(one["rerun_interval"]["low"], 100 * beta_quantile(.025, 1.5, .5), delta=2)
        self.assertEqual(one["rerun_interval"]["high"], 100)
        self.assertIn("one_answer", one["notes"])

        equal = interval(single(PASSED), "total_cost", draws=100)
        self.assertAlmostEqual(equal["interval"]["low"], equal["interval"]["high"], 12)

    def test_refusals(self):
        evals = single(PASSED, COSTS)
        unknown = [{**e, "cases": [[reply(1, None, None)]]} for e in evals]
        for given, formula, other, rerun in (
                (evals[:4], "success_pct", "too_few_evals", "one_answer"),
                (evals, "e0 + e1", None, None), (evals, "max_cost", "extremes", "extremes"),
                (unknown, "total_cost", "undefined_score", "undefined_score"),
                (evals, "5", "no_evals", "no_evals"), (evals, "1 / (success_pct - 80)", "sign", "one_answer"),
                (evals, "log(success_pct - 80)", "undefined_draws", "one_answer"),
                (repeated(BASE), "pass_at(2)", "too_few_evals", "few_answers_for_k"),
                (repeated(BASE), "pass_at(3)", "undefined_score", "undefined_score")):
            result = interval(given, formula, draws=200)
            with self.subTest(formula=formula):
                expected = ("named_only", None) if formula == "e0 + e1" else (other, rerun)
                self.assertEqual((result["other"]["refusal"], result["rerun"]["refusal"]), expected)

    def test_on_undefined(self):
        evals = single([1] * 6 + [0] * 6)
        formula = "sqrt(success_pct - 20)"
        self.assertEqual(interval(evals, formula, draws=200)["notes"], ["one_answer", "undefined_draws"])
        result = interval(evals, formula, draws=200, on_undefined=-1)
        self.assertEqual(result["notes"], ["one_answer"])
        result = interval(evals, "1 / (success_pct - 50)", on_undefined=-1)
        self.assertEqual((result["score"], result["other"]["refusal"]), (-1, "undefined_score"))

    def test_cases_are_units_of_small_suites(self):
        evals = [{"name": "a", "cases": [[reply(i % 3 > 0)] for i in range(20)]}]
        result = interval(evals)
        self.assertEqual((result["n"], result["draws"]["method"]), (20, "beta-1"))
        self.assertEqual(interval(evals, "100 * a", draws=100)["n"], 20)
        self.assertEqual(interval(evals, unit="eval")["other"]["refusal"], "too_few_evals")

    def test_laws(self):
        evals = two_by_five()
        eightfold = [{**e, "cases": [[{**a, "cost": 8 * a["cost"]} for a in c] for c in e["cases"]]}
                     for e in evals]
        doubled = [{**e, "cases": [[a for a in c for _ in (0, 1)] for c in e["cases"]]} for e in evals]
        first = interval(evals, "1 / total_cost", draws=300)
        for which in ("interval", "rerun_interval"):
            eighth = interval(eightfold, "1 / total_cost", draws=300)[which]
            self.assertEqual({k: 8 * x for k, x in eighth.items()}, first[which])
        self.assert_ends(interval(doubled, "success_pct / avg_cost + 0 * avg_cost", draws=300)["interval"],
                         *interval(evals, "success_pct / avg_cost", draws=300)["interval"].values(), 9)
        up, down = (interval(evals, sign + "success_pct / total_cost", draws=300) for sign in ("", "-"))
        for which in ("interval", "rerun_interval"):
            self.assert_ends(down[which], -up[which]["high"], -up[which]["low"], 9)


class Comparisons(unittest.TestCase):
    def test_shuffles(self):
        base, candidate = repeated(BASE), repeated(CANDIDATE)
        for formula, difference, labels, either, swaps in (
                ("success_pct", 50, 27, 54, 2), ("success_pct / total_cost", 454.545455, 8, 16, 2),
                ("percentile(latency, 95)", .175, 72, 144, 4)):
            result = compare(base, candidate, formula)
            with self.subTest(formula=formula):
                self.assertAlmostEqual(result["difference"], difference, 6)
                test = result["labels"]
                self.assertEqual((test["up"], test["count"], test["exact"]), (labels, 216, True))
                self.assertEqual(test["p"], either / 216)
                test = result["swaps"]
                self.assertEqual((test["p"], test["count"], test["exact"]), (swaps / 8, 8, True))
                mirrored = compare(candidate, base, formula)
                for way in ("labels", "swaps"):
                    self.assertEqual(result[way]["up"], mirrored[way]["down"])
                    self.assertEqual(result[way]["p"], mirrored[way]["p"])

    def test_many_shuffles(self):
        """Shuffles agree with all assignments; with one answer, with McNemar's exact test."""
        base = repeated(BASE + BASE, [f"e{i}" for i in range(6)])
        candidate = repeated(CANDIDATE + BASE, [f"e{i}" for i in range(6)])
        result = compare(base, candidate, shuffles=2000)["labels"]
        self.assertFalse(result["exact"])
        chances = {0: 1.0}  # of each difference in passes
        for pooled in (3, 3, 1, 2, 2, 0):  # passes among the four answers to a question
            pool = [1] * pooled + [0] * (4 - pooled)
            before, chances = chances, {}
            for d, p in before.items():
                for base_gets in itertools.combinations(pool, 2):
                    step = d + pooled - 2 * sum(base_gets)
                    chances[step] = chances.get(step, 0) + p / 6
        p_up = sum(p for d, p in chances.items() if d >= 3)
        self.assertAlmostEqual(result["p_up"], p_up, delta=4 * math.sqrt(p_up / 2000))

        base, candidate = single([0] * 9 + [1] * 9), single([1] * 9 + [0] * 2 + [1] * 7)
        result = compare(base, candidate, shuffles=2000)
        self.assertEqual(result["mcnemar"]["wins"], 9)
        for way in ("labels", "swaps"):
            self.assertFalse(result[way]["exact"])
            self.assertAlmostEqual(result[way]["p"], result["mcnemar"]["p"], delta=.025)

    def test_mcnemar(self):
        for wins, losses, p, mid in ((5, 0, .0625, .03125), (6, 0, .03125, .015625),
                                     (8, 2, .109375, .0654296875), (3, 3, 1, .84375), (0, 0, 1, 1)):
            self.assertEqual(mcnemar(wins, losses), {"wins": wins, "losses": losses, "p": p, "mid_p": mid})
            base = single([0] * wins + [1] * losses + [1])
            candidate = single([1] * wins + [0] * losses + [1])
            result = compare(base, candidate)
            self.assertEqual(result["mcnemar"]["p"], p)
            for way in ("labels", "swaps"):
                self.assertAlmostEqual(result[way]["p"], p, 12)

    def test_moments_of_differences(self):
        for n, wins, losses, middle, spread in ((20, 3, 1, 9.523810, 10.203051), (10, 0, 0, 0, 8.703883)):
            base = single([0] * wins + [1] * (n - wins))
            candidate = single([1] * wins + [0] * losses + [1] * (n - wins - losses))
            result = compare(base, candidate, draws=10000, shuffles=100)
            self.assertAlmostEqual(result["other"]["mean"], middle, delta=4 * spread / 100)
            self.assertAlmostEqual(result["other"]["sd"], spread, delta=.03 * spread)
            self.assertAlmostEqual(100 * (wins - losses) / (n + 1), middle, 6)
            squares = (wins + losses + 1) / (n + 1) - ((wins - losses) / (n + 1)) ** 2
            self.assertAlmostEqual(100 * math.sqrt(squares / (n + 2)), spread, 6)

    def test_identical_runs(self):
        result = compare(two_by_five(), two_by_five(), "success_pct / total_cost", shuffles=300)
        self.assertEqual(result["difference"], 0)
        self.assertEqual((result["labels"]["p"], result["swaps"]["p"]), (1, 1))
        for which in ("interval", "rerun_interval"):
            self.assertLess(result[which]["low"], 0)
            self.assertGreater(result[which]["high"], 0)
        self.assertEqual(result["verdict"], "no_difference_shown")

    def test_verdicts(self):
        bad, good = repeated([[(0, .01)] * 4] * 10), repeated([[(1, .01)] * 4] * 10)
        self.assertEqual(compare(bad, good, shuffles=300)["verdict"], "better")
        self.assertEqual(compare(good, bad, shuffles=300)["verdict"], "worse")
        some = repeated([[(1, .01)] * 4] * 2 + [[(0, .01)] * 4] * 8)
        self.assertEqual(compare(bad, some, shuffles=300)["verdict"], "better_on_these_evals")
        self.assertEqual(compare(some, bad, shuffles=300)["verdict"], "worse_on_these_evals")
        result = compare(bad, good, shuffles=300, min_effect=200)
        self.assertEqual(result["verdict"], "no_difference_that_matters")
        self.assertIn("smaller_than_min_effect", result["notes"])
        result = compare(good, good, shuffles=300, margin=30, not_worse_than=30)
        self.assertEqual(result["verdict"], "no_difference_that_matters")
        self.assertEqual(result["not_worse"], "not_worse")
        result = compare(good, good, shuffles=300, margin=.1, not_worse_than=.1)
        self.assertEqual(result["verdict"], "no_difference_shown")
        self.assertEqual(result["not_worse"], "inconclusive")

    def test_unequal_answers(self):
        base = repeated([[(1, .01), (0, .03)]] * 10)
        candidate = repeated([[(1, .02), (0, .02), (1, .02), (0, .02)]] * 10)
        for formula in ("success_pct", "total_cost", "count(passed)"):
            result = compare(base, candidate, formula, shuffles=100)
            self.assertAlmostEqual(result["difference"], 0, 12)
            self.assertIn("unequal_answers", result["notes"])
        self.assertEqual(result["candidate"], 20)

    def test_pairing(self):
        base = single((1, 1, 0, 1))
        result = compare(base[:3], base[1:], "success_pct")
        self.assertEqual(result["unpaired"], ["e0", "e3"])
        self.assertEqual((result["base"], result["candidate"]), (50, 50))
        self.assertEqual(compare(base[:3], base, "e3"), {"error": "missing eval: e3"})


class Figures(unittest.TestCase):
    def test_contributions(self):
        case = {"do": "shapley", "base": repeated(BASE), "candidate": repeated(CANDIDATE),
                "formula": "success_pct / total_cost"}
        result = answer(case)
        for part in result["contributions"]:
            self.assertAlmostEqual(part, 151.515152, 6)
        terms = answer({**case, "do": "terms"})
        self.assertEqual([t[0] for t in terms["terms"]], ["success_pct"])
        self.assertAlmostEqual(terms["contributions"][0], 454.545455, 6)

    def test_sampled_contributions(self):
        names = [f"e{i}" for i in range(9)]
        case = {"do": "shapley", "base": repeated(BASE * 3, names),
                "candidate": repeated(CANDIDATE * 3, names)}
        linear = answer({**case, "formula": "success_pct"})
        for part, expected in zip(linear["contributions"], [100 / 18, 100 / 18, 100 / 18] * 3):
            self.assertAlmostEqual(part, expected, 9)
        self.assertEqual((linear["exact"], linear["pairs"]), (False, 500))
        ratio = answer({**case, "formula": "success_pct / total_cost"})
        self.assertAlmostEqual(sum(ratio["contributions"]), 454.545455 / 3, 6)
        self.assertEqual(sorted(order_of(9, 3, 1)), list(range(9)))

    def test_power(self):
        result = power(40, 3, 4, 2.5, effect=5, new_n=40, new_r=9)
        for name, expected in (("mde_other", 11.206341), ("floor", 8.747947), ("se_other", 3.439961)):
            self.assertAlmostEqual(result[name], expected, 6)
        self.assertEqual((result["evals"], result["more_evals"]), (250, 210))
        single_answers = power(40, 1, 4)
        self.assertEqual(single_answers["mde_these"], single_answers["mde_other"])

    def test_early_stopping(self):
        for wins, losses, expected in ((5, 0, 5.3333333), (7, 0, 16), (8, 1, 5.6888889)):
            e = answer({"do": "e_process", "wins": wins, "losses": losses})["value"]
            self.assertAlmostEqual(e, expected, 7)
        for level, expected in zip(spending(4), (.0000885754, .0054860212, .0180505246, .0263748787)):
            self.assertAlmostEqual(level, expected, 10)
        self.assertAlmostEqual(sum(spending(4)), .05, 12)

    def test_threshold(self):
        """The expected evidence is 1 at the threshold, whatever the number of answers."""
        for n, share in ((1, .3), (6, .8)):
            for side in ("above", "below"):
                mean = sum(math.comb(n, k) * share ** k * (1 - share) ** (n - k)
                           * threshold_e(k, n - k, share)[side] for k in range(n + 1))
                self.assertAlmostEqual(mean, 1, 12)

    def test_holm(self):
        for p, expected in zip(holm([.01, .04, .03, .005]), (.03, .06, .06, .02)):
            self.assertAlmostEqual(p, expected, 15)

    def test_fitness(self):
        result = answer({"do": "fitness", "scores": [80, 70, 90, 60, 75]})
        self.assertAlmostEqual(result["aggregate"], 75.5, 12)
        self.assertAlmostEqual(result["high"] - result["aggregate"], 14.097467, 6)
        self.assertAlmostEqual(result["aggregate"] - result["low"], 14.097467, 6)
        self.assertIsNone(answer({"do": "fitness", "scores": [80, 70]})["low"])
        trimmed = answer({"do": "fitness", "scores": [0, 70, 70, 70, 70, 70, 70, 70, 70, 100]})
        self.assertEqual((trimmed["aggregate"], trimmed["low"], trimmed["high"]), (70, 70, 70))


class Program(unittest.TestCase):
    def test_lines(self):
        cases = [{"do": "interval", "evals": single(PASSED), "draws": 100}, {"do": "holm", "p_values": [.5]},
                 {"evals": single(PASSED), "formula": "nope("}, {"do": "what"}, {"do": "holm"}]
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "statistics_reference.py")
        run = subprocess.run([sys.executable, script], input="\n".join(map(json.dumps, cases)), text=True,
                             capture_output=True, check=True)
        answers = [json.loads(line) for line in run.stdout.splitlines()]
        self.assertEqual(answers, [answer(case) for case in cases])
        self.assertEqual(["error" in a for a in answers], [False, False, True, True, True])


if __name__ == "__main__":
    unittest.main()
