// RenderedRuns: a cache of runs as JSON for lists, so that a page costs little more than finding
// its runs; or of other texts about runs, by keys that begin with the run's id. Keeps at most
// `most_bytes` and drops the least recently listed. Does not read or render runs. Safe from any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/feed.h"

namespace vibe::server {

class RenderedRuns {
 public:
  using Text = std::shared_ptr<const std::string>;
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20;

  explicit RenderedRuns(std::size_t most_bytes = kMostBytes) : most_bytes_(most_bytes) {}

  // One per run, in their order; null: no cached text shows the run as it was listed, or later. A
  // text newer than the list does no harm: the list could have been read a moment later, and no
  // later list shows an older text.
  std::vector<Text> find(std::string_view organisation, std::span<const store::ListedRun> runs);

  // `text` was rendered from a run that was read after it was listed, so it shows this state or a
  // later one.
  void keep(std::string_view organisation, const store::ListedRun& run, Text text);

  std::size_t bytes() const;  // total size, approximately

 private:
  struct Entry {
    std::string key;  // organisation and run
    std::int64_t stamp = 0;
    Text text;

    std::size_t bytes() const;
  };
  using Entries = std::list<Entry>;

  void move_out(Entries::iterator entry, Entries& to);

  mutable std::mutex mutex_;
  const std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  Entries entries_;                                                 // most recently listed first
  std::unordered_map<std::string_view, Entries::iterator> by_key_;  // views into `entries_`
};

}  // namespace vibe::server
