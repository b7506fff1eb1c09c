// Distributions: the few distribution functions that intervals and tests need. Pure; safe from any
// thread.
#pragma once

namespace vibe::statistics {

double normal_cdf(double x);
double normal_quantile(double p);             // p between 0 and 1
double t_quantile(double p, double freedom);  // p from 1/2 on; `freedom` may be infinite
double beta_quantile(double p, double a, double b);
double chi_squared_quantile(double p, double freedom);

// To twelve decimals: the last bits of library functions differ between machines.
double rounded(double value);

double log_gamma(double x);  // x above 0

// The lower tail of Gamma(shape) is front * series, its upper tail front * fraction, where front is
// x^shape e^-x / Gamma(shape). The series suits x below shape + 1, the fraction x above.
double gamma_series(double shape, double x);
double gamma_fraction(double shape, double x);

}  // namespace vibe::statistics
