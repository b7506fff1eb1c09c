#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "model/fake_client.h"

namespace vibe::model {
namespace {

using Fault = HttpResponse::Fault;

HttpResponse response(int status, int tries, Headers headers = {}) {
  HttpResponse out;
  out.status = status;
  out.tries = tries;
  out.headers = std::move(headers);
  return out;
}

struct Row {
  std::string name;
  HttpResponse response;
  double least, most;  // with `random` 0 and 1
};

class RetryDelay : public testing::TestWithParam<Row> {};

TEST_P(RetryDelay, IsInBounds) {
  const auto& row = GetParam();
  EXPECT_DOUBLE_EQ(retry_delay(row.response, 0), row.least);
  EXPECT_DOUBLE_EQ(retry_delay(row.response, 1), row.most);
}

constexpr const char* kDate = "Mon, 16 Nov 2026 01:24:57 GMT";

INSTANTIATE_TEST_SUITE_P(
    Rows, RetryDelay,
    testing::Values(
        Row{"Fine", response(200, 1), -1, -1}, Row{"Redirect", response(302, 1), -1, -1},
        Row{"BadRequest", response(400, 1), -1, -1}, Row{"BadKey", response(401, 1), -1, -1},
        Row{"NotFound", response(404, 1), -1, -1},
        Row{"RequestTimeout", response(408, 1), 0.25, 0.5},
        Row{"Conflict", response(409, 1), 0.25, 0.5},
        Row{"TooManyRequests", response(429, 1), 0.25, 0.5},
        Row{"ServerError", response(500, 1), 0.25, 0.5},
        Row{"Overloaded", response(529, 1), 0.25, 0.5}, Row{"NoStatus", response(600, 1), -1, -1},
        Row{"SecondTry", response(500, 2), 0.5, 1}, Row{"ThirdTry", response(500, 3), 1, 2},
        Row{"FourthTry", response(500, 4), 2, 4}, Row{"LastTry", response(500, kMostTries), -1, -1},
        Row{"Connection", fault_of(Fault::connection), 0.25, 0.5},
        Row{"TimedOut", fault_of(Fault::timed_out), -1, -1},
        Row{"Cancelled", fault_of(Fault::cancelled), -1, -1},
        Row{"Certificate", fault_of(Fault::certificate), -1, -1},
        Row{"TooLarge", fault_of(Fault::too_large), -1, -1},
        Row{"BadUrl", fault_of(Fault::bad_request), -1, -1},
        Row{"ToldNotTo", response(500, 1, {{"x-should-retry", "false"}}), -1, -1},
        Row{"ToldTo", response(400, 1, {{"x-should-retry", "true"}}), 0.25, 0.5},
        Row{"Seconds", response(429, 1, {{"retry-after", "7"}}), 7, 7.5},
        Row{"SecondsLater", response(429, 3, {{"retry-after", "7"}}), 7, 9},
        Row{"Fraction", response(503, 1, {{"retry-after", "1.5"}}), 1.5, 2},
        Row{"Capped", response(429, 1, {{"retry-after", "86400"}}), 120, 120.5},
        Row{"AtOnce", response(429, 1, {{"retry-after", "0"}}), 0, 0.5},
        Row{"Negative", response(429, 1, {{"retry-after", "-5"}}), 0.25, 0.5},
        Row{"Nonsense", response(429, 1, {{"retry-after", "soon"}}), 0.25, 0.5},
        Row{"NotANumber", response(429, 1, {{"retry-after", "nan"}}), 0.25, 0.5},
        Row{"Millis", response(429, 1, {{"retry-after-ms", "1250"}, {"retry-after", "9"}}), 1.25,
            1.75},
        Row{"Date",
            response(503, 1, {{"date", kDate}, {"retry-after", "Mon, 16 Nov 2026 01:25:07 GMT"}}),
            10, 10.5},
        Row{"PastDate",
            response(503, 1, {{"date", kDate}, {"retry-after", "Mon, 16 Nov 2026 01:24:00 GMT"}}),
            0.25, 0.5},
        Row{"LimitDuration",
            response(429, 1,
                     {{"x-ratelimit-remaining-requests", "0"},
                      {"x-ratelimit-reset-requests", "1m2.5s"}}),
            62.5, 63},
        Row{"LimitMillis",
            response(429, 1,
                     {{"x-ratelimit-remaining-tokens", "0"},
                      {"x-ratelimit-reset-tokens", "250ms"}}),
            0.25, 0.75},
        Row{"LimitNotUsedUp",
            response(429, 1,
                     {{"x-ratelimit-remaining-tokens", "5"}, {"x-ratelimit-reset-tokens", "50s"}}),
            0.25, 0.5},
        Row{"LongerLimit",
            response(429, 1,
                     {{"x-ratelimit-remaining-requests", "0"},
                      {"x-ratelimit-reset-requests", "1s"},
                      {"x-ratelimit-remaining-tokens", "0"},
                      {"x-ratelimit-reset-tokens", "3s"}}),
            3, 3.5},
        Row{"LimitEpochMillis",  // 1794792297: `kDate`
            response(429, 1,
                     {{"date", kDate},
                      {"x-ratelimit-remaining", "0"},
                      {"x-ratelimit-reset", "1794792301000"}}),
            4, 4.5},
        Row{"LimitEpochSeconds",
            response(429, 1,
                     {{"date", kDate},
                      {"x-ratelimit-remaining", "0"},
                      {"x-ratelimit-reset", "1794792301"}}),
            4, 4.5},
        Row{"LimitTime",
            response(429, 1,
                     {{"date", kDate},
                      {"anthropic-ratelimit-requests-remaining", "0"},
                      {"anthropic-ratelimit-requests-reset", "2026-11-16T01:25:00Z"}}),
            3, 3.5},
        Row{"LimitNonsense",
            response(429, 1, {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "5 parsecs"}}),
            0.25, 0.5},
        Row{"LimitOfNoLimit",
            response(500, 1, {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "9"}}), 0.25,
            0.5}),
    [](const auto& row) { return row.param.name; });

TEST(RetryDelayClock, DateWithoutTheServersClock) {
  // Long past, and far off, whatever the time is here.
  const Headers past{{"retry-after", "Mon, 06 Nov 2000 01:25:07 GMT"}};
  const Headers future{{"retry-after", "Fri, 06 Nov 2893 01:25:07 GMT"}};
  EXPECT_DOUBLE_EQ(retry_delay(response(503, 1, past), 0), 0.25);
  EXPECT_DOUBLE_EQ(retry_delay(response(503, 1, future), 0), 120);
}

}  // namespace
}  // namespace vibe::model
