// A program as a model: the prompt on its standard input, the answer on its standard output.
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

#include <sys/stat.h>

#include <fmt/format.h>

#include "base/process.h"
#include "base/temp_folder.h"
#include "base/text.h"
#include "base/workers.h"
#include "model/local.h"

namespace vibe::model {

namespace {

// One prompt as it is; anything more is JSON.
std::string input_of(const Request& request) {
  if (request.system.empty() && request.messages.size() == 1 &&
      request.messages[0].role == Message::Role::user)
    return request.messages[0].text;
  base::JsonWriter json;
  json.begin_object();
  if (!request.system.empty()) json.key("system").string(request.system);
  json.key("messages").begin_array();
  write_messages(json, request.messages);
  json.end_array().end_object();
  return json.text() + "\n";
}

// What a program may want to know in addition to the prompt.
std::vector<std::string> environment_of(const Request& request) {
  std::vector<std::string> out;
  const Parameters& parameters = request.parameters;
  const auto add = [&](std::string_view name, const auto& value) {
    if (value) out.push_back(fmt::format("VIBECHECK_{}={}", name, *value));
  };
  add("TEMPERATURE", parameters.temperature);
  add("TOP_P", parameters.top_p);
  add("MAX_OUTPUT_TOKENS", parameters.max_output_tokens);
  add("SEED", parameters.seed);
  add("ORDINAL", std::optional(request.ordinal));
  add("TIMEOUT", std::optional(request.timeout));
  return out;
}

std::string complaint(std::string_view errors) {
  const std::string_view line = base::telling_line(errors);
  return line.empty() ? "" : ": " + base::shorten(base::printable(line), 300);
}

class ExecModel final : public Model {
 public:
  ExecModel(std::string program, std::vector<std::string> arguments, Pricing pricing,
            ScoreLog score_log, bool needs_logs)
      : program_(std::move(program)),
        arguments_(std::move(arguments)),
        pricing_(std::move(pricing)),
        score_log_(std::move(score_log)),
        needs_logs_(needs_logs) {}

  ~ExecModel() override { cancel(); }

  void ask(const Request& request, Done done) override {
    std::shared_ptr<base::StopSignal> stop;
    {
      const std::lock_guard lock(mutex_);
      stop = stop_;
    }
    if (!workers_.add([this, request, done, stop] { done(answer(request, *stop)); }))
      done(tl::unexpected(
          own_failure(Failure::Kind::unreachable, "cannot start a thread to run it", 0)));
  }

  void cancel() override {
    const std::lock_guard lock(mutex_);
    stop_->stop();
    stop_ = std::make_shared<base::StopSignal>();  // later requests are not affected
  }

 private:
  Outcome answer(const Request& request, const base::StopSignal& stop) const {
    base::Command command;
    command.program = program_;
    command.arguments = arguments_;
    command.environment = environment_of(request);
    const auto folder = base::TempFolder::make();  // removed when this request ends
    const std::string log = folder ? folder->path() + "/trace" : "";
    command.environment.push_back("VIBECHECK_TRACE=" + log);
    command.input = input_of(request);
    command.timeout = request.timeout;
    base::Finished finished = base::run(command, &stop);
    if (finished.how != base::Finished::How::exited || finished.status != 0)
      return tl::unexpected(failure(finished));
    Answer out;
    out.text = std::move(finished.output);
    if (out.text.ends_with('\n')) out.text.pop_back();
    out.latency = finished.seconds;
    set_cost(out, pricing_);
    if (folder && score_log_ && is_there(log)) score_log_(log, request, out);
    if (!folder && needs_logs_) out.fitness_error = folder.error().all().front().message;
    return out;
  }

  // Whether anything exists at the path, of any file type.
  static bool is_there(const std::string& path) {
    struct stat status{};
    return ::lstat(path.c_str(), &status) == 0 || errno != ENOENT;
  }

  static Failure failure(const base::Finished& finished) {
    // A model's name holds no secret, and so neither does its program's name.
    const auto with_complaint = [&](Failure::Kind kind) {
      Failure out = own_failure(kind, finished.words);
      out.message += complaint(finished.errors);
      return out;
    };
    switch (finished.how) {
      case base::Finished::How::exited:
      case base::Finished::How::signalled: return with_complaint(Failure::Kind::refused);
      case base::Finished::How::timed_out:
        return own_failure(Failure::Kind::timed_out, finished.words);
      case base::Finished::How::stopped:
        return own_failure(Failure::Kind::cancelled, finished.words);
      case base::Finished::How::too_large:
        return own_failure(Failure::Kind::malformed, finished.words);
      case base::Finished::How::not_started:
      case base::Finished::How::lost: return with_complaint(Failure::Kind::unreachable);
    }
    std::abort();
  }

  const std::string program_;
  const std::vector<std::string> arguments_;
  const Pricing pricing_;
  const ScoreLog score_log_;
  const bool needs_logs_;

  std::mutex mutex_;
  std::shared_ptr<base::StopSignal> stop_ = std::make_shared<base::StopSignal>();
  base::Workers workers_;  // last: ends first, since its tasks use the other members
};

}  // namespace

std::unique_ptr<Model> make_exec_model(std::string program, std::vector<std::string> arguments,
                                       Pricing pricing, ScoreLog score_log, bool needs_logs) {
  return std::make_unique<ExecModel>(std::move(program), std::move(arguments), std::move(pricing),
                                     std::move(score_log), needs_logs);
}

base::Result<Opened> open_exec(const Settings& settings, const std::string& rest) {
  VIBE_TRY(auto words, base::split_command(rest));
  if (words.empty())
    return base::fail(base::Code::unknown_model, {}, "no program after `exec:`",
                      "write the command after it, such as `exec:python3 agent.py`");
  auto program = base::find_program(words.front());
  if (!program)
    return base::fail(base::Code::unknown_model, {}, base::no_program(words.front()),
                      std::string(base::where_programs_are(words.front())));
  Opened opened;
  opened.may_log = true;
  opened.price = settings.prices.find("exec:" + rest, "exec");
  opened.model = make_exec_model(*std::move(program), std::move(words), {.price = opened.price},
                                 settings.score_log, settings.needs_logs);
  return opened;
}

}  // namespace vibe::model
