#include "server/caller.h"

#include "base/text.h"
#include "base/time.h"
#include "server/http_answer.h"

namespace vibe::server {

std::string_view key_of(const Head& head) {
  const std::string_view own = base::trim(head.header("x-api-key"));
  if (!own.empty()) return own;
  constexpr std::string_view kBearer = "bearer ";
  const std::string_view text = base::trim(head.header("authorization"));
  if (base::lower_ascii(text.substr(0, kBearer.size())) != kBearer) return {};
  return base::trim(text.substr(kBearer.size()));
}

base::Result<std::optional<app::Caller>> find_caller(Service& service, std::string_view key) {
  VIBE_TRY(auto directory, service.tenants.directory());
  return app::check_key(*directory, service.tenants.master_key(), key, base::now_millis());
}

Response refused_key(std::string_view sentence) {
  Response out = error(401, sentence);
  out.headers.emplace_back("WWW-Authenticate", "Bearer");
  return out;
}

}  // namespace vibe::server
