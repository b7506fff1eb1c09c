#include "trace/otel/traces.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace vibe::trace {

namespace {

std::uint64_t key_of(std::uint32_t trace, std::string_view span_id) {
  const std::uint64_t hash = std::hash<std::string_view>{}(span_id) ^ (trace * 0x9E3779B97F4A7C15u);
  return hash == 0 ? 1 : hash;
}

void widen(std::optional<Time>& first, std::optional<Time>& last, std::optional<Time> time) {
  if (!time) return;
  first = std::min(first.value_or(*time), *time);
  last = std::max(last.value_or(*time), *time);
}

}  // namespace

OtelTraces::Number OtelTraces::reserve() {
  spans_.emplace_back();
  return next() - 1;
}

OtelTraces::Number OtelTraces::trace_of(const std::string& id) {
  const auto [at, is_new] = trace_numbers_.try_emplace(id, static_cast<Number>(traces_.size()));
  if (is_new) traces_.emplace_back().id = id;
  return at->second;
}

void OtelTraces::note_trace(Trace& trace, const OtelSpan& span) {
  widen(trace.first, trace.last, span.start);
  widen(trace.first, trace.last, span.end);
  trace.of_agent = trace.of_agent || span.of_agent;
  if (trace.service.empty()) trace.service = span.service;
  if (!span.model.empty()) trace.model = span.model;
  // If there are several agents, the one that began first called the others.
  const bool earlier = span.start && (!trace.agent_start || *span.start < *trace.agent_start);
  if (!span.agent.empty() && (trace.agent.empty() || earlier)) {
    trace.agent = span.agent;
    trace.agent_start = span.start;
  }
}

void OtelTraces::note_answer(Trace& trace, OtelSpan& span) {
  if (span.answer.empty() || span.answer_of < trace.answer_of) return;
  if (span.answer_of == trace.answer_of && span.end < trace.answer_end) return;
  trace.answer = std::move(span.answer);
  trace.prompt = std::move(span.prompt);
  trace.answer_of = span.answer_of;
  trace.answer_end = span.end;
}

void OtelTraces::add(OtelSpan&& span, Number number, Number around) {
  if (span.provisional) return;
  const Number trace = trace_of(span.trace_id);
  if (!span.span_id.empty() && !numbers_.try_emplace(key_of(trace, span.span_id), number).second)
    return;  // reported again
  note_trace(traces_[trace], span);
  note_answer(traces_[trace], span);

  Span& kept = spans_[number];
  kept.trace = trace;
  kept.end = span.end;
  kept.has_error = span.has_error;
  kept.resent = span.resent;
  if (!span.parent_id.empty())
    kept.parent_key = key_of(trace, span.parent_id);
  else
    kept.parent = around;
  if (span.tokens) usages_.push_back({number, *span.tokens, std::move(span.model)});
  if (!span.tool) return;
  kept.tool = static_cast<Number>(tools_.size());
  if (!keep_texts_) {
    span.tool->input.clear();
    span.error.clear();
  }
  tools_.push_back({number, std::move(*span.tool), std::move(span.span_id), std::move(span.error),
                    span.start, span.end, kNone});
}

void OtelTraces::name_service(Number from, std::string_view service) {
  for (Number number = from; number < next(); ++number) {
    const Number trace = spans_[number].trace;
    if (trace != kNone && traces_[trace].service.empty()) traces_[trace].service = service;
  }
}

void OtelTraces::find_parents() {
  for (Span& span : spans_) {
    if (span.parent_key != 0) {
      const auto found = numbers_.find(span.parent_key);
      if (found != numbers_.end()) span.parent = found->second;
    }
    if (span.parent != kNone && spans_[span.parent].trace == kNone) span.parent = kNone;
  }
}

// In damaged logs a span can be its own ancestor.
void OtelTraces::cut_cycles() {
  std::vector<Number> walk(spans_.size(), kNone);  // the span whose walk reached it first
  for (Number start = 0; start < next(); ++start) {
    for (Number at = start; walk[at] == kNone;) {
      walk[at] = start;
      const Number parent = spans_[at].parent;
      if (parent == kNone) break;
      if (walk[parent] == start) spans_[at].parent = kNone;
      at = parent;
    }
  }
}

void OtelTraces::mark_usage() {
  for (const Usage& usage : usages_) {
    if (!usage.tokens.any()) continue;
    for (Number at = spans_[usage.span].parent; at != kNone && !spans_[at].has_usage_below;
         at = spans_[at].parent)
      spans_[at].has_usage_below = true;
  }
}

// The root is the span without a parent that ends last. A tool call whose parent is not in the log
// is not a root.
void OtelTraces::choose_roots() {
  for (Number number = 0; number < next(); ++number) {
    const Span& span = spans_[number];
    if (span.trace == kNone || span.parent != kNone || span.tool != kNone) continue;
    Number& root = traces_[span.trace].root;
    if (root == kNone || span.end > spans_[root].end) root = number;
  }
}

// A call may have a span by the caller and, directly inside, one by the tool's runner. Results for
// outer spans are reused for inner ones, because they may be nested deeply.
void OtelTraces::find_calls() {
  std::vector<Number> inner;
  for (Number number = 0; number < tools_.size(); ++number) {
    Number at = number;
    while (tools_[at].call == kNone) {
      const Tool& tool = tools_[at];
      const Number parent = spans_[tool.span].parent;
      const Number outer = parent == kNone ? kNone : spans_[parent].tool;
      const bool same =
          outer != kNone && tools_[outer].facts.name == tool.facts.name &&
          (tool.facts.call_id.empty() || tool.facts.call_id == tools_[outer].facts.call_id);
      if (!same) {
        tools_[at].call = at;
        break;
      }
      inner.push_back(at);
      at = outer;
    }
    for (; !inner.empty(); inner.pop_back()) tools_[inner.back()].call = tools_[at].call;
  }
}

// A span is in a tool if it is one, or its parent is in one.
void OtelTraces::mark_tools() {
  std::vector<Number> inner;
  for (Number number = 0; number < next(); ++number) {
    Number at = number;
    for (; at != kNone && !spans_[at].is_in_tool && spans_[at].tool == kNone;
         at = spans_[at].parent)
      inner.push_back(at);
    const bool found =
        at != kNone && (spans_[at].tool != kNone || spans_[at].is_in_tool.value_or(false));
    for (; !inner.empty(); inner.pop_back()) spans_[inner.back()].is_in_tool = found;
  }
}

// Traces that are not of agents are left out, unless there are no others.
std::vector<Session*> OtelTraces::make_sessions(Reading& reading) const {
  const bool any = std::any_of(traces_.begin(), traces_.end(),
                               [](const Trace& trace) { return trace.of_agent; });
  std::vector<Session*> out;
  for (const Trace& trace : traces_) {
    out.push_back(any && !trace.of_agent ? nullptr : &reading.session(trace.id));
    if (!out.back()) continue;
    Session& session = *out.back();
    session.seen(trace.first);
    session.seen(trace.last);
    session.modelled(trace.model);
    session.answered(trace.answer);
    session.tasked(trace.prompt);
    session.facts().agent = trace.agent.empty() ? trace.service : trace.agent;
    if (trace.root != kNone) session.ended(spans_[trace.root].has_error);
  }
  return out;
}

void OtelTraces::add_calls(const std::vector<Session*>& sessions) {
  std::vector<const Tool*> order;
  for (const Tool& tool : tools_) order.push_back(&tool);
  std::sort(order.begin(), order.end(), [](const Tool* a, const Tool* b) {
    return std::tie(a->start, a->span) < std::tie(b->start, b->span);
  });
  for (const Tool* tool : order) {
    Session* session = sessions[spans_[tool->span].trace];
    if (!session) continue;
    const Tool& call = tools_[tool->call];
    std::string id = call.facts.call_id.empty() ? call.span_id : call.facts.call_id;
    if (id.empty()) id = fmt::format("#{}", call.span);
    // Unknown inputs are not known to be equal.
    const std::uint64_t hash = tool->facts.input_hash;
    session->begin({.name = tool->facts.name,
                    .id = id,
                    .input_hash = hash == 0 ? std::hash<std::string>{}(id) : hash,
                    .input = tool->facts.input,
                    .time = tool->start});
    session->end(id, {.outcome = tool->facts.failed ? Outcome::failure : Outcome::success,
                      .exit_code = tool->facts.exit_code,
                      .error = tool->error,
                      .time = tool->end});
  }
}

void OtelTraces::finish(Reading& reading) {
  find_parents();
  cut_cycles();
  mark_usage();
  choose_roots();
  find_calls();
  mark_tools();
  const std::vector<Session*> sessions = make_sessions(reading);
  add_calls(sessions);
  for (const Usage& usage : usages_) {
    const Span& span = spans_[usage.span];
    if (span.has_usage_below || !sessions[span.trace]) continue;
    const std::string& model = usage.model.empty() ? traces_[span.trace].model : usage.model;
    sessions[span.trace]->spent({}, model, usage.tokens);
  }
  for (Number number = 0; number < next(); ++number) {
    const Span& span = spans_[number];
    if (span.trace == kNone || !span.resent || !sessions[span.trace]) continue;
    const bool is_in_tool = span.tool != kNone || span.is_in_tool.value_or(false);
    if (!is_in_tool) sessions[span.trace]->api_retried();
  }
}

}  // namespace vibe::trace
