#include "model/recording.h"

#include <algorithm>
#include <fstream>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/file.h"
#include "base/file_limit.h"

namespace vibe::model {
namespace {

class RecordingFile : public testing::Test {
 protected:
  RecordingFile() {
    std::string pattern = testing::TempDir() + "recording-XXXXXX";
    const int fd = ::mkstemp(pattern.data());
    EXPECT_GE(fd, 0);
    ::close(fd);
    path = pattern;
  }
  ~RecordingFile() override { ::unlink(path.c_str()); }

  void write(std::string_view text) const { std::ofstream(path, std::ios::binary) << text; }

  std::string path;
};

Request request_of(std::string prompt, std::uint32_t ordinal = 0) {
  Request request;
  request.messages = {{Message::Role::user, std::move(prompt)}};
  request.ordinal = ordinal;
  return request;
}

std::string text_of(const Outcome* outcome) {
  return outcome && *outcome ? (*outcome)->text : "(none)";
}

TEST_F(RecordingFile, KeepsAnswersAndFailures) {
  Request talk;
  talk.system = "Be terse.";
  talk.messages = {
      {Message::Role::user, "a"}, {Message::Role::assistant, "\xff"}, {Message::Role::user, "c"}};
  {
    auto recorder = Recorder::create(path, "openai/gpt-4o-mini");
    ASSERT_TRUE(recorder.has_value());
    Answer answer;
    answer.text = "Paris";
    answer.latency = 0.1;
    answer.cost.total = 1e-7;
    answer.tries = 2;
    ASSERT_TRUE(recorder->add(request_of("capital?", 1), answer).has_value());
    ASSERT_TRUE(recorder->add(talk, tl::unexpected(Failure{Failure::Kind::timed_out, "slow", 5}))
                    .has_value());
  }
  const auto recording = Recording::read(path);
  ASSERT_TRUE(recording.has_value()) << base::render(recording.error());
  EXPECT_EQ(recording->model(), "openai/gpt-4o-mini");
  EXPECT_EQ(recording->find(request_of("capital?", 0)), nullptr);
  EXPECT_EQ(text_of(recording->find(request_of("capital?", 1))), "Paris");
  const Outcome* failed = recording->find(talk);
  ASSERT_NE(failed, nullptr);
  ASSERT_FALSE(failed->has_value());
  EXPECT_EQ(failed->error().kind, Failure::Kind::timed_out);
  EXPECT_EQ(failed->error().message, "slow");
  EXPECT_EQ(failed->error().tries, 5);
  EXPECT_EQ(*base::read_file(path, 10'000),
            R"({"vibecheck_recording":1,"model":"openai/gpt-4o-mini"}
{"prompt":"capital?","ordinal":1,"answer":{"text":"Paris","usage":{},"cost":{"total":1e-07},"latency":0.1,"tries":2}}
{"system":"Be terse.","messages":[{"role":"user","content":"a"},{"role":"assistant","content":{"latin1":"ÿ"}},{"role":"user","content":"c"}],"ordinal":0,"failure":{"kind":"timed_out","message":"slow","tries":5}}
)");
}

TEST_F(RecordingFile, KeepsTheFitness) {
  Answer fit, unfit, neither;
  fit.fitness = 78.33;
  unfit.fitness_error = "the execution log: the file is empty";
  {
    auto recorder = Recorder::create(path, "exec:agent");
    ASSERT_TRUE(recorder.has_value());
    ASSERT_TRUE(recorder->add(request_of("neither"), neither).has_value());
    EXPECT_FALSE(Recording::read(path)->knows_fitness());
    ASSERT_TRUE(recorder->add(request_of("unfit"), unfit).has_value());
    EXPECT_TRUE(Recording::read(path)->knows_fitness());
    ASSERT_TRUE(recorder->add(request_of("fit"), fit).has_value());
  }
  const auto recording = Recording::read(path);
  ASSERT_TRUE(recording.has_value()) << base::render(recording.error());
  EXPECT_EQ((*recording->find(request_of("fit")))->fitness, 78.33);
  EXPECT_EQ((*recording->find(request_of("fit")))->fitness_error, "");
  EXPECT_EQ((*recording->find(request_of("unfit")))->fitness, std::nullopt);
  EXPECT_EQ((*recording->find(request_of("unfit")))->fitness_error, unfit.fitness_error);
  EXPECT_EQ((*recording->find(request_of("neither")))->fitness, std::nullopt);
}

TEST_F(RecordingFile, KeepsWhatToolsDid) {
  using Role = Message::Role;
  Request talk;
  talk.messages = {{Role::user, "a"},
                   {Role::assistant, "", {{"c1", "add", "{}"}}},
                   {Role::tool, "3", {}, "c1", true},
                   {Role::user, "b"}};
  talk.tools = {{"add", "Adds", "{}"}};
  Answer answer;
  answer.text = "3";
  answer.tool_calls = {{"c2", "add", "\xff", "3"}, {"c3", "add", "{}", "no", true}};
  answer.steps = {{Role::assistant, "hm", {{"c2", "add", "\xff"}}},
                  {Role::tool, "3", {}, "c2"},
                  {Role::tool, "no", {}, "c3", true}};
  {
    auto recorder = Recorder::create(path, "m");
    ASSERT_TRUE(recorder.has_value());
    ASSERT_TRUE(recorder->add(talk, answer).has_value());
  }
  const auto recording = Recording::read(path);
  ASSERT_TRUE(recording.has_value()) << base::render(recording.error());
  const Outcome* found = recording->find(talk);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(to_json(*found), to_json(answer));
  EXPECT_EQ(*base::read_file(path, 10'000),
            R"({"vibecheck_recording":1,"model":"m"}
{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"","tool_calls":[{"id":"c1","name":"add","arguments":"{}"}]},{"role":"tool","call_id":"c1","content":"3","failed":true},{"role":"user","content":"b"}],"ordinal":0,"answer":{"text":"3","tool_calls":[{"id":"c2","name":"add","arguments":{"latin1":"ÿ"},"result":"3"},{"id":"c3","name":"add","arguments":"{}","result":"no","failed":true}],"steps":[{"role":"assistant","content":"hm","tool_calls":[{"id":"c2","name":"add","arguments":{"latin1":"ÿ"}}]},{"role":"tool","call_id":"c2","content":"3"},{"role":"tool","call_id":"c3","content":"no","failed":true}],"usage":{},"cost":{},"latency":0,"tries":1}}
)");
}

TEST_F(RecordingFile, OfToolsIsWrittenByHand) {
  write(R"({"vibecheck_recording": 1, "model": "me"}
{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "tool_calls": [{"name": "add", "arguments": {"x": 1}}]}, {"role": "tool", "content": "3"}], "answer": {"text": "3", "tool_calls": [{"name": "add", "arguments": {"x": 1}, "result": "3"}]}}
)");
  const auto recording = Recording::read(path);
  ASSERT_TRUE(recording.has_value()) << base::render(recording.error());
  using Role = Message::Role;
  Request talk;
  talk.messages = {{Role::user, "a"},
                   {Role::assistant, "", {{"another id", "add", R"({"x":1})"}}},
                   {Role::tool, "3", {}, "another id"}};
  const Outcome* found = recording->find(talk);
  ASSERT_NE(found, nullptr);
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ((*found)->tool_calls[0].arguments, R"({"x":1})");
  EXPECT_EQ((*found)->tool_calls[0].result, "3");
}

TEST(ConversationKey, CoversCallsAndTheirResults) {
  using Role = Message::Role;
  const auto key = [](std::vector<Message> messages) {
    Request request;
    request.messages = std::move(messages);
    return conversation_key(request);
  };
  const Message plain{Role::assistant, "a"}, add{Role::assistant, "a", {{"1", "add", "{}"}}};
  const Message same{Role::assistant, "a", {{"2", "add", "{}"}}};
  const Message sub{Role::assistant, "a", {{"1", "sub", "{}"}}};
  const Message other{Role::assistant, "a", {{"1", "add", "{1}"}}};
  const Message good{Role::tool, "r", {}, "1"}, bad{Role::tool, "r", {}, "1", true};
  EXPECT_EQ(key({add}), key({same}));
  EXPECT_NE(key({add}), key({plain}));
  EXPECT_NE(key({add}), key({sub}));
  EXPECT_NE(key({add}), key({other}));
  EXPECT_NE(key({add, good}), key({add, bad}));
  EXPECT_NE(key({add, good}), key({add}));
  Request offered, bare;
  offered.tools = {{"add", "", "{}"}};
  EXPECT_EQ(conversation_key(offered), conversation_key(bare));
}

TEST_F(RecordingFile, IsWrittenByHand) {
  write(R"({"vibecheck_recording": 1, "model": "me"}

{"prompt": "hi", "answer": "one"}
{"prompt": "hi", "answer": {"text": "two", "cost": 0.5}}
{"prompt": "hi", "ordinal": 7, "answer": {"text": "eight"}}
{"prompt": "hi", "answer": {}}
{"messages": [{"role": "user", "content": "ho"}], "failure": {}}
)");
  const auto recording = Recording::read(path);
  ASSERT_TRUE(recording.has_value()) << base::render(recording.error());
  EXPECT_EQ(text_of(recording->find(request_of("hi", 0))), "one");
  EXPECT_EQ((*recording->find(request_of("hi", 1)))->cost.total, 0.5);
  EXPECT_EQ(text_of(recording->find(request_of("hi", 7))), "eight");
  EXPECT_EQ(text_of(recording->find(request_of("hi", 8))), "");
  EXPECT_FALSE(recording->find(request_of("ho"))->has_value());
  EXPECT_EQ((*recording->find(request_of("hi")))->tries, 1);
}

struct BadRecording {
  const char* name;
  std::string text;
  std::uint32_t line;
  std::string message;
};
class Malformed : public RecordingFile, public testing::WithParamInterface<BadRecording> {};
TEST_P(Malformed, IsReported) {
  write(GetParam().text);
  const auto recording = Recording::read(path);
  ASSERT_FALSE(recording.has_value());
  const base::Diagnostic& first = recording.error().all()[0];
  EXPECT_EQ(first.code, base::Code::bad_recording);
  EXPECT_EQ(first.message, GetParam().message);
  EXPECT_EQ(first.source->name(), path);
  EXPECT_EQ(first.source->position(first.span.begin).line, GetParam().line);
  EXPECT_FALSE(base::render(first).empty());
}
const std::string kFirst = "{\"vibecheck_recording\":1,\"model\":\"m\"}\n";
INSTANTIATE_TEST_SUITE_P(
    Recording, Malformed,
    testing::Values(
        BadRecording{"empty", "", 1, "this is not a recording: it is empty"},
        BadRecording{"blank", "\n\n", 1, "this is not a recording: it is empty"},
        BadRecording{"no_json", "hello\n", 1,
                     "this line is not a JSON object: it is not valid JSON"},
        BadRecording{"list", "[]\n", 1,
                     "this is not a recording: its first line has no key `vibecheck_recording`"},
        BadRecording{"version", "{\"vibecheck_recording\":2}", 1,
                     "a recording of version 2 cannot be read"},
        BadRecording{"no_model", "{\"vibecheck_recording\":1}", 1, "the first line has no `model`"},
        BadRecording{"first_key", "{\"vibecheck_recording\":1,\"model\":\"m\",\"x\":1}", 1,
                     "the first line has an unknown key `x`"},
        BadRecording{"truncated", kFirst + "{\"prompt\":\"a\",\"answer\":\"b\"}\n{\"prompt\":", 3,
                     "this line is not a JSON object: it is not valid JSON"},
        BadRecording{"not_utf8", kFirst + "{\"prompt\":\"\xff\",\"answer\":\"b\"}", 2,
                     "this line is not a JSON object: it is not UTF-8"},
        BadRecording{"number", kFirst + "5", 2, "this line is not a JSON object"},
        BadRecording{"unknown", kFirst + "{\"promt\":\"a\",\"answer\":\"b\"}", 2,
                     "this line has an unknown key `promt`"},
        BadRecording{"twice", kFirst + "{\"prompt\":\"a\",\"prompt\":\"a\",\"answer\":\"b\"}", 2,
                     "this line has the key `prompt` twice"},
        BadRecording{"no_prompt", kFirst + "{\"answer\":\"b\"}", 2,
                     "it has neither `prompt` nor `messages`"},
        BadRecording{"both_prompts", kFirst + "{\"prompt\":\"a\",\"messages\":[],\"answer\":\"b\"}",
                     2, "it has both `prompt` and `messages`"},
        BadRecording{"prompt_number", kFirst + "{\"prompt\":5,\"answer\":\"b\"}", 2,
                     "`prompt` is not text"},
        BadRecording{"prompt_null", kFirst + "{\"prompt\":null,\"answer\":\"b\"}", 2,
                     "`prompt` is not text"},
        BadRecording{"latin1", kFirst + "{\"prompt\":{\"latin1\":\"\u20ac\"},\"answer\":\"b\"}", 2,
                     "`prompt` is not text"},
        BadRecording{"messages", kFirst + "{\"messages\":5,\"answer\":\"b\"}", 2,
                     "`messages` is not a list"},
        BadRecording{"role",
                     kFirst + "{\"messages\":[{\"role\":\"system\",\"content\":\"\"}],"
                              "\"answer\":\"b\"}",
                     2, "`role` must be `user`, `assistant` or `tool`"},
        BadRecording{"no_answer", kFirst + "{\"prompt\":\"a\"}", 2,
                     "it has neither `answer` nor `failure`"},
        BadRecording{"both", kFirst + "{\"prompt\":\"a\",\"answer\":\"b\",\"failure\":{}}", 2,
                     "it has both `answer` and `failure`"},
        BadRecording{"answer_key", kFirst + "{\"prompt\":\"a\",\"answer\":{\"txt\":\"b\"}}", 2,
                     "`answer` has an unknown key `txt`"},
        BadRecording{"kind", kFirst + "{\"prompt\":\"a\",\"failure\":{\"kind\":\"sad\"}}", 2,
                     "`sad` is not a kind of failure"},
        BadRecording{"cost", kFirst + "{\"prompt\":\"a\",\"answer\":{\"cost\":-1}}", 2,
                     "`cost` must be a number, 0 or more"},
        BadRecording{"latency", kFirst + "{\"prompt\":\"a\",\"answer\":{\"latency\":\"1\"}}", 2,
                     "`latency` must be a number, 0 or more"},
        BadRecording{"tokens",
                     kFirst + "{\"prompt\":\"a\",\"answer\":{\"usage\":{\"prompt\":1.5}}}", 2,
                     "`prompt` is not a whole number from 0 to 10^12"},
        BadRecording{"tool_calls", kFirst + "{\"prompt\":\"a\",\"answer\":{\"tool_calls\":{}}}", 2,
                     "`tool_calls` is not a list"},
        BadRecording{"ordinal", kFirst + "{\"prompt\":\"a\",\"ordinal\":-1,\"answer\":\"b\"}", 2,
                     "`ordinal` is not a whole number from 0 to 10^12"}),
    [](const auto& row) { return row.param.name; });

TEST_F(RecordingFile, TheLastAnswerToARequestCounts) {
  write(kFirst + "{\"prompt\":\"a\",\"answer\":\"b\"}\n" +
        "{\"prompt\":\"a\",\"ordinal\":0,\"answer\":\"c\"}\n");
  const auto recording = Recording::read(path);
  ASSERT_TRUE(recording.has_value());
  Request request;
  request.messages.push_back({Message::Role::user, "a"});
  ASSERT_TRUE(recording->find(request));
  EXPECT_EQ((*recording->find(request))->text, "c");
}

TEST_F(RecordingFile, ReportsEveryBadLine) {
  write(kFirst + "{}\n{\"prompt\":\"a\",\"answer\":\"b\"}\nx\n");
  const auto recording = Recording::read(path);
  ASSERT_FALSE(recording.has_value());
  EXPECT_EQ(recording.error().errors(), 2u);
}

TEST_F(RecordingFile, HoldsAnAnswerOverTheLimitOfOtherLines) {
  Answer answer;
  answer.text = std::string(base::LineReader::kMaxLine + 10, 'x');
  auto recorder = Recorder::create(path, "m");
  ASSERT_TRUE(recorder.has_value());
  ASSERT_TRUE(recorder->add(request_of("a"), answer).has_value());
  const auto recording = Recording::read(path);
  ASSERT_TRUE(recording.has_value()) << base::render(recording.error());
  EXPECT_EQ(text_of(recording->find(request_of("a"))), answer.text);
}

TEST(Recorder, ReportsWhatCannotBeWritten) {
  const auto recorder = Recorder::create("/nonexistent/recording.jsonl", "m");
  ASSERT_FALSE(recorder.has_value());
  EXPECT_EQ(recorder.error().all()[0].code, base::Code::cannot_write);
  const auto full = Recorder::create("/dev/full", "m");
  ASSERT_FALSE(full.has_value());
  EXPECT_EQ(full.error().all()[0].message, "cannot write `/dev/full`: no space left on device");
}

// Wherever the disk is full: what was acknowledged is there, in whole lines, and nothing else.
TEST_F(RecordingFile, AFullDiskCutsNoEarlierLine) {
  constexpr std::string_view kEarlier =
      "{\"vibecheck_recording\":1,\"model\":\"m\"}\n{\"prompt\":\"0\",\"answer\":{\"text\":"
      "\"zero\"}}\n";
  for (const bool appends : {false, true}) {
    bool finished = false;
    for (rlim_t room = 0; !finished; ++room) {
      ASSERT_LT(room, 2000u);
      write(kEarlier);
      std::size_t kept = 0;
      {
        const test::FileLimit limit((appends ? kEarlier.size() : 0) + room);
        auto recorder = appends ? Recorder::append(path, "m") : Recorder::create(path, "m");
        finished = recorder.has_value();
        for (int i = 1; recorder && i <= 3; ++i) {
          const bool added = recorder->add(request_of(std::to_string(i)), Answer{}).has_value();
          kept += added ? 1 : 0;
          finished = finished && added;
        }
      }
      const std::string text = *base::read_file(path, 10'000);
      const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
      ASSERT_TRUE(text.empty() || text.back() == '\n') << text;
      if (appends) {
        ASSERT_TRUE(text.starts_with(kEarlier)) << room << ": " << text;
        ASSERT_EQ(lines, 2 + kept);
      } else {
        ASSERT_EQ(lines, text.empty() ? 0 : 1 + kept);
      }
    }
  }
}

TEST_F(RecordingFile, ContinuesAfterALastLineWithoutABreak) {
  write(R"({"vibecheck_recording":1,"model":"m"})");
  {
    auto recorder = Recorder::append(path, "m");
    ASSERT_TRUE(recorder.has_value());
    ASSERT_TRUE(recorder->add(request_of("a"), Answer{}).has_value());
  }
  const auto recording = Recording::read(path);
  ASSERT_TRUE(recording.has_value()) << base::render(recording.error());
  EXPECT_NE(recording->find(request_of("a")), nullptr);
}

TEST(Recording, ReportsAFileThatIsNotThere) {
  const auto recording = Recording::read("/nonexistent/recording.jsonl");
  ASSERT_FALSE(recording.has_value());
  EXPECT_EQ(recording.error().all()[0].code, base::Code::cannot_read);
}

rc::Gen<std::string> any_bytes() {
  return rc::gen::oneOf(rc::gen::container<std::string>(rc::gen::arbitrary<char>()),
                        rc::gen::string<std::string>(),
                        rc::gen::element<std::string>("", "é日😀", "\xed\xa0\x80", "\xc3"));
}
std::optional<std::int64_t> any_count() {
  if (*rc::gen::arbitrary<bool>()) return std::nullopt;
  return *rc::gen::inRange<std::int64_t>(0, 1'000'000'000'001);
}
std::optional<double> any_amount() {
  if (*rc::gen::arbitrary<bool>()) return std::nullopt;
  return static_cast<double>(*rc::gen::nonNegative<std::int64_t>()) /
         static_cast<double>(*rc::gen::inRange<std::int64_t>(10'000, 1'000'000'000));
}

RC_GTEST_PROP(OutcomeJson, BringsAnAnswerBack, ()) {
  Answer answer;
  answer.text = *any_bytes();
  answer.thinking = *any_bytes();
  answer.stop_reason = *any_bytes();
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i)
    answer.tool_calls.push_back({*any_bytes(), *any_bytes(), *any_bytes()});
  answer.usage = {any_count(), any_count(), any_count(), any_count(), any_count()};
  answer.cost = {any_amount(), any_amount(), any_amount()};
  answer.latency = any_amount().value_or(0);
  answer.tries = *rc::gen::inRange(0, 1000);
  const auto back = outcome_from_json(to_json(answer));
  RC_ASSERT(back.has_value() && back->has_value());
  const Answer& got = **back;
  RC_ASSERT(got.text == answer.text && got.thinking == answer.thinking &&
            got.stop_reason == answer.stop_reason);
  RC_ASSERT(got.tool_calls.size() == answer.tool_calls.size());
  for (std::size_t i = 0; i < got.tool_calls.size(); ++i)
    RC_ASSERT(got.tool_calls[i].id == answer.tool_calls[i].id &&
              got.tool_calls[i].name == answer.tool_calls[i].name &&
              got.tool_calls[i].arguments == answer.tool_calls[i].arguments);
  RC_ASSERT(
      got.usage.prompt == answer.usage.prompt && got.usage.completion == answer.usage.completion &&
      got.usage.thinking == answer.usage.thinking && got.usage.cached == answer.usage.cached &&
      got.usage.cache_write == answer.usage.cache_write);
  RC_ASSERT(got.cost.input == answer.cost.input && got.cost.output == answer.cost.output &&
            got.cost.total == answer.cost.total);
  RC_ASSERT(got.latency == answer.latency && got.tries == answer.tries);
}

RC_GTEST_PROP(OutcomeJson, BringsAFailureBack, ()) {
  const Failure failure{static_cast<Failure::Kind>(*rc::gen::inRange(0, 6)), *any_bytes(),
                        *rc::gen::inRange(0, 6)};
  const auto back = outcome_from_json(to_json(tl::unexpected(failure)));
  RC_ASSERT(back.has_value() && !back->has_value());
  RC_ASSERT(back->error().kind == failure.kind && back->error().message == failure.message &&
            back->error().tries == failure.tries);
}

TEST(OutcomeJson, RefusesAnythingElse) {
  for (const char* json :
       {"", "x", "{}", "[]", "{\"answer\":5}", "{\"answer\":\"a\",\"x\":1}", "{\"failure\":\"a\"}"})
    EXPECT_FALSE(outcome_from_json(json).has_value()) << json;
}

TEST(Keys, TellRequestsApart) {
  Request a = request_of("x"), b = request_of("x");
  EXPECT_EQ(conversation_key(a), conversation_key(b));
  b.ordinal = 1;
  b.parameters.temperature = 0.5;
  EXPECT_EQ(conversation_key(a), conversation_key(b));
  EXPECT_NE(answer_key("m", a), answer_key("m", b));
  EXPECT_EQ(answer_key("m", a), answer_key("m", a));
  EXPECT_NE(answer_key("m", a), answer_key("n", a));
  b = a;
  b.system = "x";
  EXPECT_NE(conversation_key(a), conversation_key(b));
  // the same bytes, cut elsewhere
  Request one, two;
  one.messages = {{Message::Role::user, "a"}, {Message::Role::user, "b"}};
  two.messages = {{Message::Role::user, "a4:user1:b"}};
  EXPECT_NE(conversation_key(one), conversation_key(two));
  one = two = request_of("x");
  one.parameters = {.max_output_tokens = 5};
  two.parameters = {.seed = 5};
  EXPECT_NE(answer_key("m", one), answer_key("m", two));
}

}  // namespace
}  // namespace vibe::model
