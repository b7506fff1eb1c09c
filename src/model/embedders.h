// The two kinds of embedder; model/open.h picks one by name. Private to model/.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/embedder.h"
#include "model/provider.h"

namespace vibe::model {

// Runs on its own threads, one per processor, started by the first texts.
std::unique_ptr<Embedder> make_local_embedder();

// POST `url`, in OpenAI's format; `target` has the key and the model.
std::unique_ptr<Embedder> make_openai_embedder(std::string url, Target target, Pricing pricing,
                                               std::vector<std::string> keys,
                                               std::unique_ptr<HttpClient> client);

}  // namespace vibe::model
