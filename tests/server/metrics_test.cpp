#include "server/metrics.h"

#include <filesystem>
#include <string>

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json_value.h"
#include "base/temp_folder.h"
#include "server/access_log.h"

namespace vibe::server {
namespace {

using testing::HasSubstr;

TEST(Metrics, CountsRequestsByRouteAndStatus) {
  Metrics metrics;
  metrics.add_request("GET /api/runs", 200, 0.0009);
  metrics.add_request("GET /api/runs", 200, 0.3);
  metrics.add_request("GET /api/runs", 400, 100);
  const std::string text = metrics.text({});
  EXPECT_THAT(text,
              HasSubstr("vibecheck_requests_total{route=\"GET /api/runs\",status=\"200\"} 2\n"));
  EXPECT_THAT(text,
              HasSubstr("vibecheck_requests_total{route=\"GET /api/runs\",status=\"400\"} 1\n"));
  const std::string bucket = "vibecheck_request_seconds_bucket{route=\"GET /api/runs\",le=";
  EXPECT_THAT(text, HasSubstr(bucket + "\"0.001\"} 1\n"));
  EXPECT_THAT(text, HasSubstr(bucket + "\"0.25\"} 1\n"));
  EXPECT_THAT(text, HasSubstr(bucket + "\"0.5\"} 2\n"));
  EXPECT_THAT(text, HasSubstr(bucket + "\"10\"} 2\n"));
  EXPECT_THAT(text, HasSubstr(bucket + "\"+Inf\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("vibecheck_request_seconds_count{route=\"GET /api/runs\"} 3\n"));
}

TEST(Metrics, ShowsTheMoment) {
  Metrics metrics;
  metrics.add_sample();
  metrics.add_provider_error();
  const std::string text =
      metrics.text({.waiting = 2, .claimed = 1, .runs = {{"completed", 7}}, .connections = 5});
  EXPECT_THAT(text, HasSubstr("\nvibecheck_queue_waiting 2\n"));
  EXPECT_THAT(text, HasSubstr("\nvibecheck_queue_claimed 1\n"));
  EXPECT_THAT(text, HasSubstr("\nvibecheck_runs{state=\"completed\"} 7\n"));
  EXPECT_THAT(text, HasSubstr("\nvibecheck_connections 5\n"));
  EXPECT_THAT(text, HasSubstr("\nvibecheck_samples_total 1\n"));
  EXPECT_THAT(text, HasSubstr("\nvibecheck_provider_errors_total 1\n"));
}

TEST(AccessLog, LinesAreJsonWhateverWasAsked) {
  const std::string path = "/a\"b\n\xff" + std::string(10'000, 'x');
  const std::string text = to_text({.id = "id",
                                    .method = "GET",
                                    .path = path,
                                    .peer = "::1",
                                    .status = 404,
                                    .bytes = 5,
                                    .seconds = 0.0015,
                                    .organisation = "acme",
                                    .key = {}});
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  EXPECT_LT(text.size(), 1000u);
  const auto json = base::parse_json(text);
  ASSERT_TRUE(json) << json.error();
  EXPECT_EQ(json->text_of("org"), "acme");
  EXPECT_TRUE(json->find("key")->is_null());
  EXPECT_EQ(json->number_of("ms"), 1.5);
  EXPECT_EQ(json->integer_of("status"), 404);
}

// A pipe that nobody reads must not hold up the thread that reopens the log.
TEST(AccessLog, StaysWithItsFileIfThePathIsNowAPipeThatNobodyReads) {
  const auto folder = base::TempFolder::make().value();
  const std::string path = folder.path() + "/log", before = folder.path() + "/before";
  auto log = AccessLog::open(path).value();
  std::filesystem::rename(path, before);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  log.reopen();
  log.write({.id = "id",
             .method = "GET",
             .path = "/a",
             .peer = "::1",
             .status = 200,
             .bytes = 0,
             .seconds = 0,
             .organisation = {},
             .key = {}});
  EXPECT_THAT(base::read_file(before, 1u << 20).value(), HasSubstr("\"path\":\"/a\""));
}

TEST(AccessLog, IsNotAPipeThatNobodyReads) {
  const auto folder = base::TempFolder::make().value();
  const std::string path = folder.path() + "/log";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const auto log = AccessLog::open(path);  // which would wait for a reader
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().all()[0].code, base::Code::cannot_write);
}

}  // namespace
}  // namespace vibe::server
