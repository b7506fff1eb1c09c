// What routes answer with: errors as one line, and examples that are true.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/suites/check_formula.h"
#include "base/json_value.h"
#include "server/dispatch.h"
#include "server/route.h"
#include "server/service_world.h"

namespace vibe::server {
namespace {

Response answer_to(base::Code code, std::string message, std::string hint) {
  ServiceWorld world;
  base::Diagnostics found;
  found.add(code, {}, std::move(message), std::move(hint));
  return error(Call{world.service, routes()[0], {}, {}, {}, {}}, found);
}

TEST(Answers, AnErrorIsOneLineWhateverItQuotes) {
  for (const auto code : {base::Code::bad_value, base::Code::not_found}) {
    const auto answer = answer_to(code, "no `a\nb\x1b[31m`", "did you mean `c\td`?");
    const auto json = base::parse_json(answer.body);
    ASSERT_TRUE(json) << answer.body;
    EXPECT_EQ(json->text_of("error"), "no `a b\uFFFD[31m`; did you mean `c d`?");
  }
}

TEST(Answers, TheFormulaOfTheExampleIsOne) {
  const Route& route = *find_route("POST", {"api", "formula", "check"}).route;
  const auto request = base::parse_json(route.request), response = base::parse_json(route.response);
  ASSERT_TRUE(request && response);
  const auto found =
      app::check_formula({.formula = std::string(request->text_of("formula")), .suite = {}});
  ASSERT_TRUE(found.program);
  EXPECT_TRUE(found.diagnostics.empty()) << base::render(found.diagnostics);
  const auto& names = *response->find("variables")->array();
  ASSERT_EQ(found.program->inputs.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    EXPECT_EQ(found.program->inputs[i].name, *names[i].text());
}

// Of a server that has no runs.
class NoQueue final : public app::WorkQueue {
 public:
  void cancelled(std::string_view, std::string_view) override {}
  std::size_t running() const override { return 0; }
  void end() override {}
};

// One host may have all addresses of a /64 network.
TEST(Dispatch, LimitsByAddressCountANetworkOfIpv6AsOne) {
  ServiceWorld parts;
  NoQueue queue;
  parts.service.queue = &queue;
  Dispatch dispatch(parts.service);
  for (const bool has_key : {false, true}) {
    Head head;
    head.method = "GET";
    head.target = *read_target("/api/runs");
    if (has_key) head.headers = {{"x-api-key", "vibe_a_wrong"}};
    const auto status = [&](int host, const char* network) {
      head.peer = fmt::format("{}{:x}", network, host);
      head.network = fmt::format("{}/64", network);
      return dispatch.admit(head).refusal->status;
    };
    int host = 1;
    while (host < 2000 && status(host, "2001:db8::") == 401) ++host;
    EXPECT_EQ(status(host, "2001:db8::"), 429);
    EXPECT_EQ(status(1, "2001:db8:0:1::"), 401);
  }
}

}  // namespace
}  // namespace vibe::server
