// OtelTraces: folds spans, in any order, into one session per trace. Everything that depends on
// other spans is decided at the end: which token counts include others, which calls are reported
// twice, which span is the root. Memory grows with the number of spans, not with their attributes.
// Belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/format.h"
#include "trace/otel/span.h"

namespace vibe::trace {

class OtelTraces {
 public:
  using Number = std::uint32_t;  // of a span
  static constexpr Number kNone = UINT32_MAX;

  explicit OtelTraces(bool keep_texts) : keep_texts_(keep_texts) {}

  Number reserve();  // for a span whose children may come before it
  Number next() const { return static_cast<Number>(spans_.size()); }
  // `around`: the enclosing span, which is the parent if the span does not name one.
  void add(OtelSpan&& span, Number number, Number around);
  void name_service(Number from, std::string_view service);  // of all spans since `from`

  void finish(Reading& reading);

 private:
  struct Trace {
    std::string id, agent, service, answer, prompt;
    OtelSpan::Source answer_of = OtelSpan::Source::none;
    std::optional<Time> first, last, agent_start, answer_end;
    std::string model;
    Number root = kNone;
    bool of_agent = false;
  };
  struct Span {
    Number trace = kNone, parent = kNone, tool = kNone;
    std::uint64_t parent_key = 0;  // 0: none
    std::optional<Time> end;
    bool has_error = false, resent = false;
    bool has_usage_below = false;
    std::optional<bool> is_in_tool{};  // known after mark_tools()
  };
  struct Usage {
    Number span;
    Tokens tokens;
    std::string model;
  };
  struct Tool {
    Number span;
    OtelTool facts;
    std::string span_id, error;
    std::optional<Time> start, end;
    Number call = kNone;  // the outermost span of the same call; after find_calls()
  };

  Number trace_of(const std::string& id);
  void note_trace(Trace& trace, const OtelSpan& span);
  void note_answer(Trace& trace, OtelSpan& span);
  void find_parents();
  void cut_cycles();
  void mark_usage();
  void choose_roots();
  void find_calls();
  void mark_tools();
  std::vector<Session*> make_sessions(Reading& reading) const;
  void add_calls(const std::vector<Session*>& sessions);

  bool keep_texts_;
  std::vector<Trace> traces_;
  std::unordered_map<std::string, Number> trace_numbers_;
  std::vector<Span> spans_;
  std::unordered_map<std::uint64_t, Number> numbers_;  // span numbers, by trace and id
  std::vector<Usage> usages_;
  std::vector<Tool> tools_;
};

}  // namespace vibe::trace
