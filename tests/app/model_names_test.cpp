// Expands model patterns, and lists known models.
#include "app/runs/model_names.h"

#include <gtest/gtest.h>

#include "app/runs/list_models.h"
#include "app/served_world.h"
#include "app/world.h"

namespace vibe::app {
namespace {

using base::Code;
using Ids = std::vector<std::string>;

KnownModels known(Ids ids) {
  return [ids]() -> base::Result<Ids> { return ids; };
}

struct NamesCase {
  const char* name;
  Ids wanted, want;
};
class ModelNames : public testing::TestWithParam<NamesCase> {};

TEST_P(ModelNames, Are) {
  const auto names = model_names(GetParam().wanted, known({"a/one", "a/two", "b/one"}));
  ASSERT_TRUE(names) << base::render(names.error());
  EXPECT_EQ(*names, GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Models, ModelNames,
    testing::Values(
        NamesCase{"none", {}, {}}, NamesCase{"unknown_ones_stay", {"x/y"}, {"x/y"}},
        NamesCase{"each_once", {"a/two", "a/*", "a/two"}, {"a/two", "a/one"}},
        NamesCase{"in_either_case", {"A/O*"}, {"a/one"}},
        NamesCase{"patterns_in_their_order", {"b/*", "a/*"}, {"b/one", "a/one", "a/two"}},
        NamesCase{"stars_of_programs", {"exec:ls *", "replay:a*"}, {"exec:ls *", "replay:a*"}}),
    [](const auto& row) { return row.param.name; });

TEST(ModelNamesWrong, EveryPatternThatFitsNothingIsSaid) {
  const auto names = model_names({"x/*", "a/one", "y*"}, known({"a/one"}));
  ASSERT_FALSE(names);
  EXPECT_EQ(all_codes(names.error()), Found(2, Code::unknown_model));
}

TEST(ModelNamesWrong, TooManyAreRefused) {
  Ids many;
  for (int i = 0; i < 33; ++i) many.push_back("a/" + std::to_string(i));
  EXPECT_EQ(all_codes(model_names({"a/*"}, known(many)).error()), Found{Code::too_many});
  many.pop_back();
  EXPECT_EQ(model_names({"a/*"}, known(many))->size(), 32u);
}

TEST(ModelNamesWrong, NobodyIsAskedWithoutAPattern) {
  const KnownModels broken = []() -> base::Result<Ids> {
    return base::fail(Code::unreachable_server, {}, "gone");
  };
  EXPECT_TRUE(model_names({"a/one"}, broken));
  EXPECT_EQ(all_codes(model_names({"a/*"}, broken).error()), Found{Code::unreachable_server});
}

// ---- known models

config::Config with_keys(Ids keys) {
  config::Config out;
  out.models.variable = [keys](std::string_view name) -> std::optional<std::string> {
    const bool is_set = std::ranges::find(keys, name) != keys.end();
    return is_set ? std::optional<std::string>("key") : std::nullopt;
  };
  for (const auto& key : keys) out.env_file[key] = "key";
  return out;
}

TEST(ListModels, ByPartOrByPattern) {
  UserHome user;  // hides the keys of this machine
  const auto config = with_keys({});
  const auto ids = [&](std::string_view pattern) {
    Ids out;
    for (const auto& one : list_models(config, pattern).models) out.push_back(one.row.id);
    return out;
  };
  const auto all = ids("");
  EXPECT_TRUE(std::ranges::is_sorted(all));
  EXPECT_EQ(ids("OpenAI/GPT-4o-Mini*"), ids("openai/gpt-4o-mini*"));
  const auto part = ids("gpt-4o-mini");
  EXPECT_TRUE(std::ranges::find(part, "openai/gpt-4o-mini") != part.end());
  EXPECT_LT(part.size(), all.size());
  EXPECT_TRUE(ids("gpt-4o-mini?*").size() < part.size());  // a glob must match the whole id
  EXPECT_TRUE(ids("nobody-knows-it").empty());
}

TEST(ListModels, SayWhetherTheirKeyIsThere) {
  UserHome user;
  const auto find = [](const config::Config& config) {
    return list_models(config, "openai/gpt-4o-mini").models.at(0);
  };
  const auto without = find(with_keys({}));
  EXPECT_FALSE(without.key_set || without.runnable);
  const auto with = find(with_keys({"OPENAI_API_KEY"}));
  EXPECT_EQ(with.provider, "openai");
  EXPECT_EQ(with.key_variable, "OPENAI_API_KEY");
  EXPECT_TRUE(with.key_set && with.runnable);
}

TEST(ListModels, RunnableOnesCanBeAskedEachOnce) {
  UserHome user;
  EXPECT_TRUE(list_models(with_keys({}), "openai/*", Which::runnable).models.empty());
  const auto config = with_keys({"OPENAI_API_KEY"});
  const auto all = list_models(config, "openai/*");
  const auto runnable = list_models(config, "openai/*", Which::runnable);
  EXPECT_LT(runnable.models.size(), all.models.size());
  for (const auto& one : runnable.models) {
    EXPECT_TRUE(one.runnable && one.same_as.empty()) << one.row.id;
    EXPECT_EQ(one.row.id.find("whisper"), std::string::npos);  // not a chat model
  }
}

TEST(ListModels, HaveTheUsersEndpointsFirst) {
  UserHome user;
  config::Config config = with_keys({"CORP_KEY"});
  config.models.endpoints = {{"corp", "https://llm.corp.example/v1", "CORP_KEY"}};
  config.models.http.resize(1);
  config.models.http[0].name = "agent";
  const auto list = list_models(config, "");
  ASSERT_GT(list.forms.size(), 2u);
  EXPECT_EQ(list.forms[0].form, "corp/NAME");
  EXPECT_TRUE(list.forms[0].key_set);
  EXPECT_EQ(list.forms[1].form, "http:agent");
  EXPECT_EQ(list.forms[1].key_variable, "");
  EXPECT_NE(list.date, "");
}

TEST(FindModels, AreThoseOfTheServerThatIsNamed) {
  ServedWorld served;
  UserHome user;
  config::Config config = with_keys({});
  config.models.client = impatient();
  base::Diagnostics out;
  const auto here = find_models(config, "openai/gpt-4o-mini", out);
  ASSERT_TRUE(here);
  EXPECT_FALSE(here->models.at(0).key_set);
  config.server = served.url;
  config.api_key = served.key;
  const auto there = find_models(config, "openai/gpt-4o-mini", out);
  ASSERT_TRUE(there) << base::render(out);
  EXPECT_TRUE(there->models.at(0).key_set);  // the server has one
  const auto names = models_of(*served.server)();
  ASSERT_TRUE(names);
  EXPECT_TRUE(std::ranges::find(*names, "openai/gpt-4o-mini") != names->end());
}

TEST(FindModels, AServerThatCannotBeAskedIsSaid) {
  config::Config config;
  config.server = "ftp://a";
  base::Diagnostics out;
  EXPECT_FALSE(find_models(config, "", out));
  EXPECT_EQ(all_codes(out), Found{Code::bad_config});
}

}  // namespace
}  // namespace vibe::app
