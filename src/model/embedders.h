// The two embedders there are; model/open.h finds the one that a name asks for. Private to model/.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/embedder.h"
#include "model/provider.h"

namespace vibe::model {

// On threads of its own, as many as the machine has processors; they start with the first texts.
std::unique_ptr<Embedder> make_local_embedder();

// POST `url`, as OpenAI words it; `target` has the key and the model.
std::unique_ptr<Embedder> make_openai_embedder(std::string url, Target target, Pricing pricing,
                                               std::vector<std::string> keys,
                                               std::unique_ptr<HttpClient> client);

}  // namespace vibe::model
