#include "trace/otel/span.h"

#include <algorithm>
#include <array>
#include <functional>

#include "base/text.h"
#include "trace/format.h"
#include "trace/otel/attributes.h"
#include "trace/otel/keys.h"

namespace vibe::trace {

namespace {

// Members of spans and of their containers, in lower case, without `_`, `-` and `.`.
constexpr KeyTable kSpanKeys({
    Key<OtelKey>{"traceid", OtelKey::trace_id},
    {"contexttraceid", OtelKey::trace_id},
    {"spanid", OtelKey::span_id},
    {"contextspanid", OtelKey::span_id},
    {"id", OtelKey::id},
    {"parentspanid", OtelKey::parent_id},
    {"parentid", OtelKey::parent_id},
    {"name", OtelKey::name},
    {"spanname", OtelKey::name},
    {"operationname", OtelKey::operation},
    {"spancontext", OtelKey::context},
    {"context", OtelKey::context},
    {"parentspancontext", OtelKey::parent_context},
    {"references", OtelKey::references},
    {"attributes", OtelKey::attributes},
    {"spanattributes", OtelKey::attributes},
    {"tags", OtelKey::attributes},
    {"events", OtelKey::events},
    {"logs", OtelKey::events},
    {"status", OtelKey::status},
    {"statuscode", OtelKey::status_code},
    {"statusmessage", OtelKey::status_message},
    {"starttimeunixnano", OtelKey::start_nano},
    {"endtimeunixnano", OtelKey::end_nano},
    {"starttime", OtelKey::start},
    {"timestamp", OtelKey::start},
    {"endtime", OtelKey::end},
    {"duration", OtelKey::duration},
    {"durationms", OtelKey::duration_ms},
    {"servicename", OtelKey::service},
    {"resource", OtelKey::resource},
    {"resourceattributes", OtelKey::resource},
    {"process", OtelKey::resource},
    {"localendpoint", OtelKey::resource},
    {"spankind", OtelKey::kind},
    {"processes", OtelKey::processes},
    {"resourcespans", OtelKey::holder},
    {"batches", OtelKey::holder},
    {"scopespans", OtelKey::holder},
    {"instrumentationlibraryspans", OtelKey::holder},
    {"trace", OtelKey::holder},
    {"traces", OtelKey::holder},
    {"data", OtelKey::holder},
    {"spans", OtelKey::spans},
    {"childspans", OtelKey::children},
    {"children", OtelKey::children},
});

using Parts = BestValues<OtelKey, static_cast<std::size_t>(OtelKey::other)>;

Parts parts_of(Json span, OtelAttributes* attributes = nullptr) {
  constexpr std::string_view kFlat = "attributes.";
  Parts out;
  span.members([&](std::string_view key, Json value) {
    if (const auto* row = kSpanKeys.find(otel_normal_key(key)))
      out.take(row->what, row->rank, value);
    else if (attributes && key.starts_with(kFlat))
      attributes->take(key.substr(kFlat.size()), value);
  });
  return out;
}

bool says_error(Json code) {
  if (const auto number = otel_integer(code)) return *number == 2;
  const std::string text = base::lower_ascii(code.text().value_or(""));
  return text == "error" || text == "status_code_error" || text == "statuscode.error";
}

void read_ids(const Parts& parts, OtelSpan& out) {
  const Parts context = parts_of(parts[OtelKey::context]);
  const Parts parent = parts_of(parts[OtelKey::parent_context]);
  const auto first = [](Json a, Json b) { return otel_id(a.there() ? a : b); };
  out.trace_id = first(parts[OtelKey::trace_id], context[OtelKey::trace_id]);
  out.span_id = first(parts[OtelKey::span_id], context[OtelKey::span_id]);
  if (out.span_id.empty()) out.span_id = otel_id(parts[OtelKey::id]);
  out.parent_id = first(parts[OtelKey::parent_id], parent[OtelKey::span_id]);
  if (out.parent_id.find_first_not_of('0') == std::string::npos) out.parent_id.clear();
  parts[OtelKey::references].each([&](Json reference) {
    if (out.parent_id.empty() && reference.text_of("refType") == "CHILD_OF")
      out.parent_id = otel_id(reference["spanID"]);
  });
}

void read_times(const Parts& parts, OtelSpan& out) {
  constexpr double kLeastMicros = 1e14, kMostMillis = 1e13;
  const Json start = parts[OtelKey::start];
  const bool jaeger = parts[OtelKey::operation].there();
  out.start = otel_nanos(parts[OtelKey::start_nano]);
  if (!out.start) out.start = otel_time(start, jaeger);
  out.end = otel_nanos(parts[OtelKey::end_nano]);
  if (!out.end) out.end = otel_time(parts[OtelKey::end], jaeger);
  if (!out.start || out.end) return;
  const bool micros = jaeger || start.number().value_or(0) >= kLeastMicros;
  if (const auto length = otel_duration(parts[OtelKey::duration], micros))
    out.end = *out.start + *length;
  else if (const auto millis = parts[OtelKey::duration_ms].number();
           millis && *millis >= 0 && *millis < kMostMillis)
    out.end = *out.start + to_time(*millis / 1e3);
}

void read_status(const Parts& parts, const OtelAttributes& attributes, OtelSpan& out) {
  const Json status = parts[OtelKey::status];
  const Json flag = attributes[OtelFact::error_flag];
  out.has_error = says_error(status) || says_error(status["code"]) ||
                  says_error(status["status_code"]) || says_error(parts[OtelKey::status_code]) ||
                  says_error(attributes[OtelFact::status_code]) ||
                  attributes[OtelFact::error_type].there() || flag.boolean().value_or(false) ||
                  flag.text() == "true";
  for (const Json text : {status["message"], status["description"], parts[OtelKey::status_message],
                          attributes[OtelFact::error_text], attributes[OtelFact::error_type]})
    if (out.error.empty()) out.error = text.text().value_or("").substr(0, kMostShown + 4);
}

std::optional<Tokens> span_tokens(const OtelAttributes& attributes) {
  // More than any real usage, and small enough that sums do not overflow.
  constexpr std::int64_t kMost = 1'000'000'000'000;
  bool any = false;
  const auto count = [&](OtelFact fact, bool counts) {
    const auto number = otel_integer(attributes[fact]);
    if (!number || *number < 0 || *number > kMost) return std::int64_t{0};
    any = any || counts;
    return *number;
  };
  const Tokens out{.input = count(OtelFact::input_tokens, true),
                   .output = count(OtelFact::output_tokens, true),
                   .cache_read = count(OtelFact::cache_read, false),
                   .cache_write = count(OtelFact::cache_write, false),
                   .cache_in_input = true};
  return any ? std::optional(out) : std::nullopt;
}

std::string_view span_name(const Parts& parts) {
  const auto name = parts[OtelKey::name].text();
  return name ? *name : parts[OtelKey::operation].text().value_or("");
}

constexpr std::array<std::string_view, 2> kToolSpans{"execute_tool ", "running tool: "};

std::string_view name_without_prefix(std::string_view name) {
  for (const std::string_view prefix : kToolSpans)
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  return name;
}

bool is_tool(const Parts& parts, const OtelAttributes& attributes) {
  if (attributes.kind() == OtelKind::tool) return true;
  if (attributes.kind() != OtelKind::other || attributes[OtelFact::input_tokens].there())
    return false;
  const std::string_view name = span_name(parts);
  return attributes[OtelFact::tool].there() || name_without_prefix(name).size() < name.size();
}

std::optional<OtelTool> tool_of(const Parts& parts, const OtelAttributes& attributes) {
  if (!is_tool(parts, attributes)) return std::nullopt;
  OtelTool out;
  out.name = attributes.text(OtelFact::tool);
  if (out.name.empty()) out.name = attributes.text(OtelFact::tool_name);
  if (out.name.empty()) out.name = name_without_prefix(span_name(parts));
  // Google ADK adds a summary span for parallel calls, which also have their own spans.
  if (out.name == "(merged tools)" || out.name == "(merged)") return std::nullopt;
  out.call_id = otel_id(attributes[OtelFact::call_id]);
  if (out.call_id.starts_with('<')) out.call_id.clear();  // `<not specified>`
  const Json input = attributes[OtelFact::tool_input];
  if (input.there()) {
    out.input = text_or_json(input);
    out.input_hash = input.hash() | 1;
  }
  out.exit_code = exit_code_of(attributes[OtelFact::exit_code]);
  out.failed = out.exit_code.value_or(0) != 0 ||
               base::lower_ascii(attributes.view(OtelFact::tool_status)) == "error";
  return out;
}

std::string_view event_name(Json event, Json attributes) {
  const auto name = event["name"].text();
  return name ? *name : otel_attribute(attributes, "event").text().value_or("");
}

// The model's answer, if it is in an event.
Json answer_in_event(Json attributes) {
  for (const std::string_view key : {"gen_ai.output.messages", "message", "gen_ai.completion",
                                     "gen_ai.event.content", "content"})
    if (const Json found = otel_attribute(attributes, key); found.there()) return found;
  return {};
}

bool is_answer_event(std::string_view name) {
  return name == "gen_ai.choice" || name == "gen_ai.content.completion" ||
         name == "gen_ai.client.inference.operation.details";
}

struct SpanEvents {
  bool threw = false;
  std::string error;
  Json answer;
};

SpanEvents events_of(Json events) {
  SpanEvents out;
  events.each([&](Json event) {
    Json attributes = event["attributes"];
    if (!attributes.there()) attributes = event["fields"];  // in Jaeger
    const std::string_view name = event_name(event, attributes);
    if (name == "exception") {
      out.threw = true;
      const auto message = otel_attribute(attributes, "exception.message").text();
      if (message && out.error.empty()) out.error = message->substr(0, kMostShown + 4);
    } else if (is_answer_event(name)) {
      if (const Json answer = answer_in_event(attributes); answer.there()) out.answer = answer;
    }
  });
  return out;
}

// JSON in a text is either a message or an answer that is itself JSON; the latter only if `or_raw`.
std::string message_text(Json value, bool or_raw, JsonParser& inner) {
  const auto text = value.text();
  if (!text) return otel_message_text(value).value_or("");
  const std::string_view trimmed = base::trim(*text);
  if (!trimmed.starts_with('{') && !trimmed.starts_with('[')) return std::string(*text);
  const Json parsed = inner.parse(trimmed);
  if (const auto found = otel_message_text(parsed)) return *found;
  return or_raw || !parsed.there() ? std::string(*text) : std::string();
}

// Messages are values or JSON inside a text.
std::string prompt_in(Json messages, JsonParser& inner) {
  const auto text = messages.text();
  return otel_prompt_text(text ? inner.parse(*text) : messages);
}

void read_answer(const OtelAttributes& attributes, const SpanEvents& events, JsonParser& inner,
                 OtelSpan& out) {
  using Source = OtelSpan::Source;
  const auto take = [&](Source source, std::string text) {
    if (!out.answer.empty() || text.empty()) return;
    out.answer = std::move(text);
    out.answer_of = source;
  };
  take(Source::model, message_text(attributes[OtelFact::answer_form], true, inner));
  take(Source::model, attributes.text(OtelFact::answer_text));
  take(Source::model, message_text(events.answer, true, inner));
  if (!out.answer.empty()) out.prompt = prompt_in(attributes[OtelFact::prompt_form], inner);
  const OtelKind kind = attributes.kind();
  if (kind != OtelKind::model && kind != OtelKind::agent && !out.parent_id.empty()) return;
  take(kind == OtelKind::model ? Source::model : Source::agent,
       message_text(attributes[OtelFact::output], false, inner));
}

}  // namespace

std::string otel_normal_key(std::string_view key) {
  constexpr std::size_t kMost = 40;
  std::string out;
  if (key.size() > kMost) return out;
  for (const char c : key)
    if (c != '_' && c != '-' && c != '.') out += base::lower_ascii(c);
  return out;
}

OtelKey otel_key(std::string_view key) {
  const auto* row = kSpanKeys.find(otel_normal_key(key));
  return row ? row->what : OtelKey::other;
}

bool is_otel_span(Json object) {
  const Parts parts = parts_of(object);
  return parts[OtelKey::span_id].there() ||
         parts_of(parts[OtelKey::context])[OtelKey::span_id].there() ||
         (parts[OtelKey::id].there() && parts[OtelKey::trace_id].there());
}

std::string otel_service_of(Json resource) {
  const Parts parts = parts_of(resource);
  if (const auto name = parts[OtelKey::service].text()) return std::string(shortened_name(*name));
  Json name = otel_attribute(parts[OtelKey::attributes], "service.name");
  if (!name.there()) name = otel_attribute(resource, "service.name");
  return std::string(shortened_name(name.text().value_or("")));
}

OtelSpan OtelSpanReader::read(Json span) {
  OtelSpan out;
  OtelAttributes attributes;
  const Parts parts = parts_of(span, &attributes);
  attributes.take_all(parts[OtelKey::attributes]);
  attributes.take_kind(parts[OtelKey::kind]);
  read_ids(parts, out);
  out.conversation = otel_id(attributes[OtelFact::conversation]);
  read_times(parts, out);
  read_status(parts, attributes, out);
  out.agent = attributes.text(OtelFact::agent);
  out.model = attributes.text(OtelFact::model);
  out.service = otel_service_of(parts[OtelKey::resource]);
  if (out.service.empty()) out.service = parts[OtelKey::service].text().value_or("");
  out.tokens = span_tokens(attributes);
  out.tool = tool_of(parts, attributes);
  out.resent = otel_integer(attributes[OtelFact::resends]).value_or(0) > 0;
  out.of_agent = attributes.of_agent() || out.tool;
  out.provisional = attributes.view(OtelFact::stage) == "pending_span";

  const SpanEvents events = events_of(parts[OtelKey::events]);
  if (out.error.empty()) out.error = events.error;
  if (out.tool) {
    out.tool->failed = out.tool->failed || out.has_error || events.threw;
    return out;
  }
  read_answer(attributes, events, inner_, out);
  return out;
}

}  // namespace vibe::trace
