#include "run/evidence_collector.h"

#include <utility>

#include <fmt/format.h>

#include "base/crypto.h"
#include "base/known.h"
#include "base/text.h"
#include "check/opinion.h"

namespace vibe::run {

namespace {

constexpr std::size_t kMostKnown = 1024;           // embeddings in memory
constexpr std::size_t kMostEnvironment = 100'000;  // bytes of a variable; Linux allows 128 KiB
constexpr std::size_t kMostProgramOutput = 1u << 20;
constexpr std::size_t kMostQuoted = 120;  // code points of a judge's reply

// More than the opinions of one turn: ordinals made with it tell equal questions apart in
// recordings and caches.
constexpr std::uint32_t kOpinions = 1000;

std::string embedding_key(std::string_view embedder, std::string_view text) {
  return base::hash(fmt::format("{}\n{}", embedder, text));
}

// Cuts the value to what fits into an environment variable.
std::string variable(std::string_view name, std::string_view value) {
  value = value.substr(0, kMostEnvironment);
  return fmt::format("VIBECHECK_{}={}", name, value.substr(0, value.find('\0')));
}

}  // namespace

// One question to a judge, asked as often as the check says.
struct EvidenceCollector::Hearing {
  std::shared_ptr<const Inquiry> inquiry;
  const check::Judgement* judgement;
  const Channel* judge;
  Done done;
  std::size_t open = 0;                                 // missing answers
  std::vector<std::optional<check::Opinion>> opinions;  // by number
  check::Opinions result;
};

EvidenceCollector::EvidenceCollector(Outside outside, Post post, OnProblem on_problem)
    : outside_(std::move(outside)), post_(std::move(post)), on_problem_(std::move(on_problem)) {}

EvidenceCollector::~EvidenceCollector() { stop_->stop(); }

void EvidenceCollector::find(const check::Check& check,
                             const std::shared_ptr<const Inquiry>& inquiry, std::uint32_t before,
                             Done done) {
  switch (check::kind_of(check.type).needs) {
    case check::Needs::judge:
      return hear(std::get<check::Judgement>(check.arguments), inquiry, before, std::move(done));
    case check::Needs::embeddings:
      return compare(std::get<check::Similarity>(check.arguments), inquiry, std::move(done));
    case check::Needs::program:
      return run(std::get<check::Command>(check.arguments), inquiry, std::move(done));
    case check::Needs::nothing: break;
  }
  done(check::Unavailable{"the check needs no evidence"});
}

void EvidenceCollector::cancel() {
  is_cancelled_ = true;
  for (auto& [name, judge] : outside_.judges) judge.model->cancel();
  if (outside_.embedder) outside_.embedder->cancel();
  stop_->stop();
}

std::string EvidenceCollector::masked(std::string_view text) const {
  std::string out(text);
  outside_.redactor->apply_to_quote(out);
  return out;
}

void EvidenceCollector::report(const base::Result<void>& kept) {
  if (!kept) on_problem_(kept.error());
}

// ---- judges

void EvidenceCollector::hear(const check::Judgement& judgement,
                             const std::shared_ptr<const Inquiry>& inquiry, std::uint32_t before,
                             Done done) {
  const auto judge = outside_.judges.find(judgement.model);
  if (judge == outside_.judges.end())
    return done(check::Unavailable{fmt::format("there is no judge `{}`", judgement.model)});
  const auto repeat = static_cast<std::size_t>(judgement.repeat);
  auto hearing = std::make_shared<Hearing>();
  hearing->inquiry = inquiry;
  hearing->judgement = &judgement;
  hearing->judge = &judge->second;
  hearing->done = std::move(done);
  hearing->open = repeat;
  hearing->opinions.resize(repeat);
  hearing->result.judged = {judge->second.name, static_cast<std::uint32_t>(repeat), 0, 0, 0, 0};
  model::Request request = check::ask_opinion(
      judgement, {inquiry->request.system, inquiry->request.messages, inquiry->response});
  request.timeout = inquiry->request.timeout;
  for (std::size_t i = 0; i < repeat; ++i) {
    request.ordinal = inquiry->request.ordinal * kOpinions + before + static_cast<std::uint32_t>(i);
    ask(hearing, i, request, true);
  }
}

void EvidenceCollector::ask(const std::shared_ptr<Hearing>& hearing, std::size_t number,
                            const model::Request& request, bool is_first) {
  if (auto kept = hearing->judge->find(request))
    return heard(hearing, number, request, is_first, *std::move(kept), true);
  hearing->judge->ask(request, [this, hearing, number, request, is_first](model::Outcome outcome) {
    post_([this, hearing, number, request, is_first, outcome = std::move(outcome)]() mutable {
      heard(hearing, number, request, is_first, std::move(outcome), false);
    });
  });
}

void EvidenceCollector::heard(const std::shared_ptr<Hearing>& hearing, std::size_t number,
                              const model::Request& request, bool is_first, model::Outcome outcome,
                              bool from_cache) {
  using Kind = model::Failure::Kind;
  check::Opinions& result = hearing->result;
  const bool is_cancelled = !outcome && outcome.error().kind == Kind::cancelled;
  if (!is_cancelled) report(hearing->judge->keep(request, outcome, from_cache));
  if (!outcome) {
    if (outcome.error().kind == Kind::malformed) result.judged.cost.reset();
    result.problem = fmt::format("the judge `{}` did not answer: {}", hearing->judge->name,
                                 hearing->judge->redacted(outcome.error()));
  } else {
    base::add_known(result.judged.prompt_tokens, outcome->usage.prompt);
    base::add_known(result.judged.completion_tokens, outcome->usage.completion);
    base::add_known(result.judged.cost, outcome->cost.total);
    if (!from_cache) result.paid += outcome->cost.total.value_or(0);
    auto opinion =
        check::read_opinion(*hearing->judgement, outcome->text, hearing->inquiry->response);
    if (!opinion && is_first && !is_cancelled_)
      return ask(hearing, number, check::ask_again(request, outcome->text), false);
    if (opinion)
      hearing->opinions[number] = *std::move(opinion);
    else
      result.problem = fmt::format(
          "the judge `{}` sent an unusable reply: {}: \"{}\"", hearing->judge->name,
          masked(opinion.error()),
          base::shorten(base::printable(masked(base::trim(outcome->text))), kMostQuoted));
  }
  if (--hearing->open > 0) return;
  for (auto& opinion : hearing->opinions)
    if (opinion) result.all.push_back(*std::move(opinion));
  hearing->done(std::move(result));
}

// ---- embeddings

void EvidenceCollector::compare(const check::Similarity& similarity,
                                const std::shared_ptr<const Inquiry>& inquiry, Done done) {
  // An empty answer means nothing, and services refuse to embed it.
  if (base::trim(inquiry->response).empty()) return done(check::Closeness{});
  struct Pair {
    std::vector<float> expected;
    std::optional<double> cost = 0;
    double paid = 0;

    void add(const model::Embedding& embedding, bool is_new) {
      base::add_known(cost, embedding.cost);
      if (is_new) paid += embedding.cost.value_or(0);
    }
  };
  auto pair = std::make_shared<Pair>();
  const auto unavailable = [this, pair](const model::Failure& failure) {
    return check::Unavailable{
        fmt::format("no embedding from `{}`: {}", outside_.embedder_name, failure.message),
        pair->cost, pair->paid};
  };
  embed(similarity.expected, [this, pair, inquiry, unavailable, done = std::move(done)](
                                 const model::Embedder::Outcome& expected, bool is_new) {
    if (!expected) return done(unavailable(expected.error()));
    pair->expected = expected->vector;
    pair->add(*expected, is_new);
    if (is_cancelled_) return done(check::Unavailable{"cancelled", pair->cost, pair->paid});
    embed(inquiry->response, [pair, unavailable, done](const model::Embedder::Outcome& response,
                                                       bool response_is_new) {
      if (!response) return done(unavailable(response.error()));
      pair->add(*response, response_is_new);
      const auto closeness = model::cosine_similarity(pair->expected, response->vector);
      if (!closeness)
        return done(check::Unavailable{"the embeddings of the two texts cannot be compared",
                                       pair->cost, pair->paid});
      done(check::Closeness{*closeness, pair->cost, pair->paid});
    });
  });
}

void EvidenceCollector::embed(const std::string& text, Embedded done) {
  const auto known = known_.find(text);
  if (known != known_.end()) return done(known->second, false);
  if (const auto waiting = waiting_for_.find(text); waiting != waiting_for_.end()) {
    waiting->second.push_back(std::move(done));
    return;
  }
  const std::string key = embedding_key(outside_.embedder_name, text);
  // A recording must be complete: taking embeddings from the cache would leave gaps in it.
  const bool uses_cache = outside_.embeddings && !outside_.is_replay && !outside_.recorder;
  if (auto kept = uses_cache ? outside_.embeddings->find(key) : std::nullopt)
    return done(*std::move(kept), false);

  waiting_for_[text].push_back(std::move(done));
  const std::string redacted = outside_.redactor->apply(text);
  outside_.embedder->embed(
      outside_.is_replay ? redacted : text,
      [this, text, key, redacted, uses_cache](model::Embedder::Outcome outcome) {
        post_([this, text, key, redacted, uses_cache, outcome = std::move(outcome)]() mutable {
          if (!outcome)
            outside_.redactor->apply_to_message(outcome.error().message, outcome.error().own);
          const bool is_cancelled =
              !outcome && outcome.error().kind == model::Failure::Kind::cancelled;
          if (outside_.recorder && !is_cancelled && outside_.embedder_name != model::kLocalEmbedder)
            report(outside_.recorder->add(outside_.embedder_name, redacted, outcome));
          if (outcome) {
            if (uses_cache) report(outside_.embeddings->keep(key, *outcome));
            if (known_.size() >= kMostKnown) known_.clear();
            known_.insert_or_assign(text, *outcome);
          }
          const auto waiting = waiting_for_.extract(text);
          for (bool is_new = true; const auto& one : waiting.mapped())
            one(outcome, std::exchange(is_new, false));
        });
      });
}

// ---- programs

void EvidenceCollector::run(const check::Command& command,
                            const std::shared_ptr<const Inquiry>& inquiry, Done done) {
  const auto program = base::find_program(command.argv.front());
  if (!program) return done(check::Unavailable{base::no_program(masked(command.argv.front()))});
  base::Command task;
  task.program = *program;
  task.arguments = command.argv;
  task.environment = {variable("EVAL", inquiry->eval),
                      variable("PROMPT", inquiry->request.messages.back().text)};
  task.timeout = command.timeout;
  task.most_output = kMostProgramOutput;
  auto call = [this, task = std::move(task), inquiry, stop = stop_, done]() mutable {
    task.input = inquiry->response;
    auto finished = base::run(task, stop.get());
    post_([done = std::move(done), finished = std::move(finished)]() mutable {
      done(std::move(finished));
    });
  };
  if (!workers_.add(std::move(call))) done(check::Unavailable{"cannot start a thread to run it"});
}

}  // namespace vibe::run
