// Opens the models without a known format: the user's own endpoint, a program, a recording.
// Private to model/.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "model/model.h"
#include "model/open.h"
#include "model/provider.h"
#include "model/recording.h"

namespace vibe::model {

// `program` is a path; `arguments` begin with argv[0]. Each request in flight has a thread.
std::unique_ptr<Model> make_exec_model(std::string program, std::vector<std::string> arguments,
                                       Pricing pricing, ScoreLog score_log, bool needs_logs);

// The `open` functions of the provider rows: `rest` is what follows `exec:` and the like.
base::Result<Opened> open_exec(const Settings& settings, const std::string& rest);
base::Result<Opened> open_replay(const Settings& settings, const std::string& rest);
base::Result<Opened> open_http_endpoint(const Settings& settings, const std::string& rest);

base::Result<std::unique_ptr<HttpClient>> make_client(const Settings& settings);

// An endpoint's templates and pointers, checked, with the variables filled in.
struct BoundEndpoint {
  Exchange exchange;
  std::vector<std::string> keys;  // the variables' values
};
base::Result<BoundEndpoint> bind_endpoint(const HttpEndpoint& endpoint, const Settings& settings);

}  // namespace vibe::model
