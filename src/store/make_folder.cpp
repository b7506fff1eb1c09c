#include "store/make_folder.h"

#include "base/line_log.h"

namespace vibe::store {

base::Result<void> make_folder(const std::string& folder) {
  return base::make_private_folder(folder, base::Code::store_unusable,
                                   "set `VIBECHECK_HOME` to a writable folder");
}

}  // namespace vibe::store
