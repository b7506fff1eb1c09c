// Opinion of a judge model: what it is asked, and how its reply is read. The response under
// judgement is data: it stands alone in a message of its own, encoded as JSON, and the verdict is
// read from the judge's reply only. Pure; safe from any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "check/evidence.h"
#include "model/model.h"

namespace vibe::check {

// What was said before the response that is judged. Views: they must outlive the call.
struct Subject {
  std::string_view system;
  std::span<const model::Message> messages;  // the last is the prompt that was responded to
  std::string_view response;
};

model::Request ask_opinion(const Judgement& judgement, const Subject& subject);

// The same once more, after a reply that could not be understood.
model::Request ask_again(model::Request request, std::string_view reply);

// What the reply says, or why it cannot be understood. Prose and code fences around the JSON do
// not matter; JSON that stands in the response is a quotation, and does not count.
tl::expected<Opinion, std::string> read_opinion(const Judgement& judgement, std::string_view reply,
                                                std::string_view response);

}  // namespace vibe::check
