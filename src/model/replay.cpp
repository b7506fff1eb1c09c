// A recording as a model: gives the recorded answers immediately.
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "model/local.h"

namespace vibe::model {

namespace {

class ReplayModel final : public Model {
 public:
  ReplayModel(std::shared_ptr<const Recording> recording, std::string judge)
      : recording_(std::move(recording)), judge_(std::move(judge)) {}

  void ask(const Request& request, Done done) override {
    if (const Outcome* outcome = recording_->find(request, judge_))
      done(*outcome);
    else
      done(tl::unexpected(Failure{Failure::Kind::missing, missing(request), 0}));
  }

  void cancel() override {}  // nothing is ever in flight

 private:
  std::string missing(const Request& request) const {
    if (!judge_.empty())
      return fmt::format("the recording has no such answer from `{}`", base::printable(judge_));
    const std::string_view prompt =
        request.messages.empty() ? std::string_view() : request.messages.back().text;
    const std::string number =
        request.ordinal > 0 ? fmt::format(" number {}", request.ordinal + 1) : "";
    return fmt::format("the recording has no answer{} to `{}`", number,
                       base::shorten(base::printable(prompt.substr(0, 400)), 60));
  }

  std::shared_ptr<const Recording> recording_;
  std::string judge_;  // empty: the model of the recording
};

class ReplayEmbedder final : public Embedder {
 public:
  ReplayEmbedder(std::shared_ptr<const Recording> recording, std::string name)
      : recording_(std::move(recording)), name_(std::move(name)) {}

  void embed(const std::string& text, Done done) override {
    if (const Outcome* outcome = recording_->find_embedding(name_, text))
      done(*outcome);
    else
      done(tl::unexpected(Failure{
          Failure::Kind::missing,
          fmt::format("the recording has no such embedding from `{}`", base::printable(name_)),
          0}));
  }

  void cancel() override {}

 private:
  std::shared_ptr<const Recording> recording_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Model> make_replay_model(std::shared_ptr<const Recording> recording,
                                         std::string judge) {
  return std::make_unique<ReplayModel>(std::move(recording), std::move(judge));
}

std::unique_ptr<Embedder> make_replay_embedder(std::shared_ptr<const Recording> recording,
                                               std::string name) {
  return std::make_unique<ReplayEmbedder>(std::move(recording), std::move(name));
}

base::Result<Opened> open_replay(const Settings&, const std::string& rest) {
  if (rest.empty())
    return base::fail(base::Code::unknown_model, {}, "no file after `replay:`",
                      "write the recording after it, such as `replay:answers.jsonl`");
  VIBE_TRY(auto read, Recording::read(rest));
  const auto recording = std::make_shared<const Recording>(std::move(read));
  Opened opened;
  opened.name = recording->model();
  opened.source = "replay:" + rest;
  opened.recording = recording;
  opened.may_log = recording->knows_fitness();
  opened.model = make_replay_model(recording);
  return opened;
}

}  // namespace vibe::model
