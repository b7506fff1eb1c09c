// Any bytes from a tool server: never a crash; events and replies do not depend on how the bytes
// are split; the tools that were read can be sent on as JSON.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/text.h"
#include "model/event_stream.h"
#include "model/json_rpc.h"
#include "model/mcp.h"

namespace {

using namespace vibe;

void require(bool holds) {
  if (!holds) std::abort();
}

std::string events_of(std::string_view bytes, std::size_t piece) {
  std::string out;
  model::EventStream events([&](const model::Event& event) {
    require(!event.data.empty() && !event.type.empty());
    out += event.type + "\n" + event.id + "\n" + event.data + "\n\n";
  });
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
    events.add(bytes.substr(0, piece));
  events.finish();
  return out;
}

void check_words(const std::string& problem) {
  require(!problem.empty() && !base::first_invalid(problem) && problem.size() < 4096);
}

void read(const base::JsonValue& result) {
  if (const auto page = model::mcp::read_tools(result)) {
    for (const auto& tool : page->tools) require(base::parse_json(tool.parameters).has_value());
  } else {
    check_words(page.error());
  }
  if (const auto called = model::mcp::read_result(result); !called) check_words(called.error());
  if (const auto version = model::mcp::read_greeting(result); !version)
    check_words(version.error());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string whole = events_of(bytes, std::max<std::size_t>(size, 1));
  for (const std::size_t piece : {1UL, 2UL, 7UL}) require(events_of(bytes, piece) == whole);

  const auto check_asked = [](const model::rpc::Asked& asked) {
    require(base::parse_json(model::rpc::answer(asked)).has_value());
  };
  model::rpc::ReplyReader streamed(1, check_asked);
  streamed.add_events(bytes);
  streamed.finish_events();
  model::rpc::ReplyReader document(1, check_asked);
  document.read(bytes);
  for (const auto* reader : {&streamed, &document})
    if (const auto& reply = reader->reply()) read(reply->result);
  if (const auto value = base::parse_json(bytes)) read(*value);
  if (const auto params = model::mcp::call_params("add", bytes))
    require(base::parse_json(*params).has_value());
  return 0;
}
