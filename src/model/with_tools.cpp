// A model that uses tools: asks, carries out the calls, asks again.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "base/known.h"
#include "model/tool_server.h"

namespace vibe::model {

namespace {

// Adds up the answers of one conversation: a figure that one of them lacks is unknown.
void add_figures(Answer& sum, const Answer& more) {
  base::add_known(sum.usage.prompt, more.usage.prompt);
  base::add_known(sum.usage.completion, more.usage.completion);
  base::add_known(sum.usage.thinking, more.usage.thinking);
  base::add_known(sum.usage.cached, more.usage.cached);
  base::add_known(sum.usage.cache_write, more.usage.cache_write);
  base::add_known(sum.cost.input, more.cost.input);
  base::add_known(sum.cost.output, more.cost.output);
  base::add_known(sum.cost.total, more.cost.total);
  sum.latency += more.latency;
}

template <class T>
void append(std::vector<T>& out, const std::vector<T>& more) {
  out.insert(out.end(), more.begin(), more.end());
}

// One request from ask() to its `done`. Except for the flag and what the mutex guards, it belongs
// to the callback that continues it: the model's answer, or the last of the tools' results.
struct Talk {
  Request request;
  Done done;
  std::atomic<bool> is_over = false;
  std::atomic<int> tries = 0;
  Answer sum;  // of the answers so far
  int rounds = 0;
  std::string said;  // text of this round's answer, next to its calls

  std::mutex mutex;             // guards the next three
  std::vector<ToolCall> calls;  // of this round
  std::size_t left = 0;         // calls without a result
  std::optional<Failure> failure;
};
using TalkPtr = std::shared_ptr<Talk>;

class ToolModel final : public Model {
 public:
  ToolModel(std::unique_ptr<Model> model, std::shared_ptr<ToolServer> server)
      : server_(std::move(server)), model_(std::move(model)) {}

  ToolModel(const ToolModel&) = delete;
  ToolModel& operator=(const ToolModel&) = delete;

  ~ToolModel() override {
    ToolModel::cancel();
    gate_->close();
  }

  void ask(const Request& request, Done done) override {
    const auto talk = std::make_shared<Talk>();
    talk->request = request;
    talk->request.tools = server_->tools();
    talk->done = std::move(done);
    {
      const std::lock_guard lock(mutex_);
      talks_.insert(talk);
    }
    ask_model(talk);
  }

  // Does not wait for running tools: others also use the server.
  void cancel() override {
    std::unordered_set<TalkPtr> talks;
    {
      const std::lock_guard lock(mutex_);
      talks = talks_;
    }
    model_->cancel();
    for (const TalkPtr& talk : talks)
      end(talk, tl::unexpected(own_failure(Failure::Kind::cancelled, "cancelled", talk->tries)));
  }

 private:
  // Lets tool results in as long as the model exists.
  class Gate {
   public:
    template <class Function>
    void pass(Function function) {
      {
        const std::lock_guard lock(mutex_);
        if (is_closed_) return;
        ++inside_;
      }
      function();
      const std::lock_guard lock(mutex_);
      if (--inside_ == 0) left_.notify_all();
    }

    void close() {
      std::unique_lock lock(mutex_);
      is_closed_ = true;
      left_.wait(lock, [this] { return inside_ == 0; });
    }

   private:
    std::mutex mutex_;
    std::condition_variable left_;
    std::size_t inside_ = 0;
    bool is_closed_ = false;
  };

  void end(const TalkPtr& talk, Outcome outcome) {
    if (talk->is_over.exchange(true)) return;
    {
      const std::lock_guard lock(mutex_);
      talks_.erase(talk);
    }
    talk->done(std::move(outcome));
  }

  void fail(const TalkPtr& talk, Failure failure) {
    failure.tries = talk->tries;
    if (talk->rounds > 0) failure.cost = talk->sum.cost.total;
    end(talk, tl::unexpected(std::move(failure)));
  }

  void ask_model(const TalkPtr& talk) {
    if (talk->is_over) return;
    model_->ask(talk->request, [this, talk](Outcome outcome) {
      talk->tries += outcome ? outcome->tries : outcome.error().tries;
      if (talk->is_over) return;
      if (outcome)
        take_answer(talk, *std::move(outcome));
      else
        fail(talk, std::move(outcome.error()));
    });
  }

  void take_answer(const TalkPtr& talk, Answer answer) {
    Answer& sum = talk->sum;
    if (talk->rounds > 0) {
      add_figures(sum, answer);
      answer.usage = sum.usage;
      answer.cost = sum.cost;
      answer.latency = sum.latency;
      if (!sum.thinking.empty() && !answer.thinking.empty()) sum.thinking += "\n\n";
      answer.thinking = sum.thinking + answer.thinking;
    }
    std::vector<ToolCall> calls = std::move(answer.tool_calls);
    const auto to_do = static_cast<std::size_t>(std::count_if(
        calls.begin(), calls.end(), [](const ToolCall& call) { return !call.result; }));
    append(sum.steps, answer.steps);
    answer.steps = std::move(sum.steps);
    answer.tool_calls = std::move(sum.tool_calls);
    answer.tries = talk->tries;
    sum = std::move(answer);
    if (to_do == 0) {
      append(sum.tool_calls, calls);
      end(talk, std::move(sum));
    } else if (talk->rounds == kMostRounds) {
      fail(talk, own_failure(Failure::Kind::malformed,
                             fmt::format("called tools {} times without an answer", kMostRounds)));
    } else if (to_do > kMostCalls) {
      fail(talk,
           own_failure(Failure::Kind::malformed,
                       fmt::format("called {} tools at once; the limit is {}", to_do, kMostCalls)));
    } else {
      ++talk->rounds;
      talk->said = std::exchange(sum.text, {});
      carry_out(talk, std::move(calls), to_do);
    }
  }

  void carry_out(const TalkPtr& talk, std::vector<ToolCall> calls, std::size_t to_do) {
    for (std::size_t i = 0; i < calls.size(); ++i)  // some services give no ids
      if (calls[i].id.empty()) calls[i].id = fmt::format("call_{}_{}", talk->rounds, i + 1);
    {
      const std::lock_guard lock(talk->mutex);
      talk->calls = calls;
      talk->left = to_do;
    }
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (calls[i].result) continue;
      server_->call(calls[i].name, calls[i].arguments,
                    [this, gate = gate_, talk, i](tl::expected<ToolResult, Failure> result) {
                      gate->pass([&] { take_result(talk, i, std::move(result)); });
                    });
    }
  }

  void take_result(const TalkPtr& talk, std::size_t index,
                   tl::expected<ToolResult, Failure> result) {
    {
      const std::lock_guard lock(talk->mutex);
      ToolCall& call = talk->calls[index];
      if (result) {
        call.result = std::move(result->text);
        call.failed = result->failed;
      } else if (!talk->failure) {
        talk->failure = std::move(result.error());
      }
      if (--talk->left > 0) return;
    }
    if (talk->is_over) return;
    if (talk->failure) {
      fail(talk, *std::move(talk->failure));
      return;
    }
    end_round(*talk);
    ask_model(talk);
  }

  static void end_round(Talk& talk) {
    std::vector<Message> round(1 + talk.calls.size());
    round[0].role = Message::Role::assistant;
    round[0].text = std::move(talk.said);
    for (std::size_t i = 0; i < talk.calls.size(); ++i) {
      const ToolCall& call = talk.calls[i];
      round[0].tool_calls.push_back({call.id, call.name, call.arguments, {}, false});
      round[i + 1].role = Message::Role::tool;
      round[i + 1].text = call.result.value_or("");
      round[i + 1].failed = call.failed;
      round[i + 1].call_id = call.id;
    }
    append(talk.request.messages, round);
    append(talk.sum.steps, round);
    append(talk.sum.tool_calls, talk.calls);
  }

  const std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
  const std::shared_ptr<ToolServer> server_;

  std::mutex mutex_;
  std::unordered_set<TalkPtr> talks_;  // in progress

  std::unique_ptr<Model> model_;  // last: destroyed first, and its callbacks use the other members
};

}  // namespace

std::unique_ptr<Model> with_tools(std::unique_ptr<Model> model,
                                  std::shared_ptr<ToolServer> server) {
  return std::make_unique<ToolModel>(std::move(model), std::move(server));
}

}  // namespace vibe::model
