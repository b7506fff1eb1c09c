// Opinion of a judge model: what the judge is asked, and how its reply is read. The response under
// judgement is data: it is alone in its own message, encoded as JSON, and the verdict is read only
// from the judge's reply. Pure; safe from any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "check/evidence.h"
#include "model/model.h"

namespace vibe::check {

// The conversation before the judged response. These are views: they must outlive the call.
struct Subject {
  std::string_view system;
  std::span<const model::Message> messages;  // the last one is the prompt that was answered
  std::string_view response;
};

model::Request ask_opinion(const Judgement& judgement, const Subject& subject);

// The same request again, after a reply that could not be understood.
model::Request ask_again(model::Request request, std::string_view reply);

// What the reply says, or why it cannot be understood. Prose and code fences around the JSON are
// ignored; JSON that also occurs in the response is a quotation and does not count.
tl::expected<Opinion, std::string> read_opinion(const Judgement& judgement, std::string_view reply,
                                                std::string_view response);

}  // namespace vibe::check
