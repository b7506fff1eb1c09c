// Distributions: the few distribution functions that intervals and tests need. Pure; safe from any
// thread.
#pragma once

namespace vibe::statistics {

double normal_cdf(double x);
double normal_quantile(double p);             // p between 0 and 1
double t_quantile(double p, double freedom);  // p from 1/2 on; `freedom` may be infinite
double beta_quantile(double p, double a, double b);
double chi_squared_quantile(double p, double freedom);

// Gamma(shape): both tails, the smaller of the two to full precision.
struct Tails {
  double below = 0, above = 0;
};
Tails gamma_tails(double shape, double x);

}  // namespace vibe::statistics
