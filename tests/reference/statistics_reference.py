"""A second implementation of intervals, comparisons and their tests, for checking the engine.

Written for clarity, not speed; it shares no code with the engine. docs/statistics.md describes the
methods. As a program it reads one JSON case per line and writes one JSON answer per line:

    {"do": "interval", "evals": EVALS, "formula": "success_pct", "metrics": {"NAME": "FORMULA"},
     "unit": null | "eval" | "case", "seed": 1, "draws": null | COUNT, "level": 0.95,
     "on_undefined": null | NUMBER, "show": DRAWS, "closed_form": true, "smallest": 5}
    {"do": "compare" | "shapley" | "terms", "base": EVALS, "candidate": EVALS, the same options,
     "shuffles": 9999, "margin": M, "min_effect": E, "superior_by": E, "not_worse_than": M,
     "pairs": COUNT}

EVALS is [{"name": TEXT or null, "tags": [TEXT], "cases": [[ANSWER, ...], ...]}]; an eval without cases
in the suite has one. An ANSWER is {"passed": 0 | 1, "cost", "latency", "prompt_tokens",
"completion_tokens", ..., "error": bool}; a missing or null figure is unknown. Only evals (or cases)
and a formula are required. `show` asks for the values of the first draws, `smallest` is the
smallest random stratum, `closed_form: false` draws also where Beta quantiles are known.

An interval is {"low", "high"} or null. "other" and "rerun" tell about either question: lambda, nu
(null: infinite), refusal, draws that count, their mean and standard deviation, and the values asked
for. `FIGURES` lists the other things to do. A case that cannot be computed gets {"error": TEXT}.

Choices that decide bits, where docs/statistics.md leaves room:

 1. Cases without an answer and evals without such a case take no part and have no place. Two runs
    are paired by name, unnamed evals by their number among the unnamed, cases by position. Places
    are those among the common evals in the base's order; tags are the candidate's.
 2. If the formula has one random stratum and uses no fixed unit, raw weights stay unscaled.
    Otherwise a weight is g * (R / sum(g * r)), a pseudo-weight table / m * (R / sum(g * r)).
 3. m is over all units of a selector, fixed ones included. Its limit is the selector's answers /
    units; in a comparison an answer to a question counts min(r_A, r_B) / r_X.
 4. A named eval has "one answer" if it has one question with one answer. Of a named eval with
    several cases, those with one answer stay as they are.
 5. The pair of a term without random units is drawn as in "asked again", with Gamma(1/2).
    In a comparison such a pair, and every pair of "asked again", takes its copies (stream 1) and
    its weights (stream 6) from the side's own fourth word.
 6. Questions that count as having one answer take no pick numbers. A pick weighs
    w * (r / (r - 1)).
 7. Z of pass_at is rounded to 2^-20. A pseudo-answer counts as one question there. A question with
    at most k answers refuses "asked again".
 8. A variance of at most 1e-24 times the score squared is 0; in a comparison, times the larger of
    the two squares. theta is left out if undefined, whatever `on_undefined` says.
 9. nu of "asked again" is infinite if only named evals have a variance.
10. If every question used has one answer, "asked again" needs pass shares of at most three named
    evals and nothing but passes; a comparison never has it then. Otherwise it is refused only for
    a question of a pass term (that of a named eval with random cases included) with one answer.
11. Refusals in this order: undefined_score, extremes, no_evals; too_few_evals, named_only,
    one_answer, few_answers_for_k; undefined_draws, sign.
12. The sign of a denominator is looked at if numerator and denominator are defined; a
    comparison looks at both runs together.
13. Shuffles: u32 numbers and bits count the questions (units for swaps) that the formula uses, in
    plan order. Bits of stream 3 replace numbers only if every such question has one answer in
    either run. A bit of 1 exchanges. A swap exchanges answers together with their weights.
14. The interval for `margin` and `not_worse_than` leaves out 1 - level at either end. Inside is
    strict. p is compared with 1 - level rounded to 12 decimals.
15. Shuffled scores are computed from the same weighted sums as the difference they are compared with.
16. Contributions: permutation b exchanges k with k + (u32 number k of stream 5 scaled to n - k), for
    k = 0 .. n - 2. Standard errors are looked at after every 500 pairs. The parts are the common
    evals that the formula uses.
17. McNemar's test is over all common questions, whether or not the formula uses them.
18. The closed form is used for `success_pct` alone, not for a metric of that value, whatever `draws`
    says. The note about percentiles is for `percentile`, not for `median`.
"""

import json
import sys

from statistics_compare import compare, contributions, term_contributions
from statistics_draws import (
    LEAST_LAMBDA, design_effect, order_statistic, paired_design_effect, tail)
from statistics_figures import (
    e_process, fitness_aggregate, holm, mcnemar, power, spending, threshold_e)
from statistics_intervals import Problem, intervals
from statistics_numbers import (
    GRID, beta_quantile, chi2_quantile, gamma_table, normal_table, philox, t_quantile)
from statistics_weights import pass_all, pass_at, weighted_percentile


def lambda_of_evals(n, level=0.95):
    """Lambda of one random stratum of n evals."""
    return tail((((n + 1) / (n - 1)) ** 0.5, n - 1), (1 + level) / 2, LEAST_LAMBDA)[0]


def percentile(values, weights, p):
    entries = sorted((x, i, w) for i, (x, w) in enumerate(zip(values, weights)) if w > 0)
    return weighted_percentile([(x, w) for x, _, w in entries], p)


def on_grid(table):
    """A table's entries in units of 2^-20."""
    return [int(x * GRID) for x in table]


# What needs no suite: the function and the fields of the case that are its arguments.
FIGURES = {
    "lambda": (lambda_of_evals, ("n",), ("level",)),
    "power": (power, ("n", "r", "se_other"), ("se_rerun", "effect", "new_n", "new_r", "level")),
    "pass_at": (pass_at, ("answers", "passed", "k"), ()),
    "pass_all": (pass_all, ("answers", "passed", "k"), ()),
    "mcnemar": (mcnemar, ("wins", "losses"), ()),
    "holm": (holm, ("p_values",), ()),
    "e_process": (e_process, ("wins", "losses"), ()),
    "threshold_e": (threshold_e, ("passed", "failed", "share"), ()),
    "spending": (spending, ("looks",), ("alpha",)),
    "fitness": (fitness_aggregate, ("scores",), ("level",)),
    "design_effect": (design_effect, ("shares", "most"), ()),
    "paired_design_effect": (paired_design_effect, ("base", "candidate", "most"), ()),
    "percentile": (percentile, ("values", "weights", "p"), ()),
    "order_statistic": (order_statistic, ("ordered", "position"), ()),
    "philox": (philox, ("counter", "key"), ()),
    "gamma_table": (lambda shape: on_grid(gamma_table(shape)), ("shape",), ()),
    "normal_table": (lambda: on_grid(normal_table()), (), ()),
    "t_quantile": (t_quantile, ("p", "nu"), ()),
    "beta_quantile": (beta_quantile, ("p", "a", "b"), ()),
    "chi2_quantile": (chi2_quantile, ("p", "nu"), ()),
}
CASES = {"interval": intervals, "compare": compare, "shapley": contributions, "terms": term_contributions}


def answer(case):
    what = case.get("do", "interval")
    try:
        if what in CASES:
            return CASES[what](case)
        if what not in FIGURES:
            return {"error": f"unknown: {what}"}
        function, required, optional = FIGURES[what]
        given = {k: case[k] for k in required}
        given.update((k, case[k]) for k in optional if case.get(k) is not None)
        result = function(**given)
        return result if isinstance(result, dict) else {"value": result}
    except Problem as problem:
        return {"error": str(problem)}
    except KeyError as missing:
        return {"error": f"missing field: {missing.args[0]}"}


def main():
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
