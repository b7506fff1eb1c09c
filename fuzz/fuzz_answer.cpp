// Any bytes as a provider's answer, as a stored outcome and as a recording: never a crash, every
// failure fits on one line, and what was read is the same after writing and reading it back.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "model/provider.h"
#include "model/recording.h"

namespace {

using namespace vibe;

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const model::Outcome& outcome) {
  if (!outcome) {
    require(!outcome.error().message.empty());
    require(!base::first_invalid(outcome.error().message));
    require(outcome.error().message.find('\n') == std::string::npos);
    require(outcome.error().message.find('\x1b') == std::string::npos);
    require(outcome.error().message.size() < 4096);
  }
  const std::string json = model::to_json(outcome);
  const auto back = model::outcome_from_json(json);
  require(back.has_value() && back->has_value() == outcome.has_value());
  require(model::to_json(*back) == json);
}

// An in-memory file with these bytes.
void read_recording(std::string_view bytes) {
  static const int file = ::memfd_create("recording", 0);
  require(file >= 0 && ::ftruncate(file, 0) == 0);
  require(::pwrite(file, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  const auto recording = model::Recording::read("/proc/self/fd/" + std::to_string(file));
  if (recording) {
    require(!recording->model().empty());
    return;
  }
  std::size_t drawn = 0;
  for (const auto& diagnostic : recording.error().all())
    if (++drawn <= 20) require(!base::render(diagnostic).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const int status : {200, 400, 503}) {
    model::HttpResponse response;
    response.status = status;
    response.body = bytes;
    response.tries = 1;
    for (const auto* provider : {&model::kOpenai, &model::kAnthropic, &model::kOllama})
      check(model::read_response(response, 60, {"sk-key"}, provider->decode));
  }
  if (const auto outcome = model::outcome_from_json(bytes))
    require(model::outcome_from_json(model::to_json(*outcome)).has_value());
  read_recording(bytes);
  return 0;
}
