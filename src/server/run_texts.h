// RunTexts: runs as lists show them, as JSON, so that a page costs little more than finding out
// which runs it has; or other texts about runs, by names that begin with the run's id. Keeps so
// many bytes at most, and forgets those that were not listed for the longest time. Does not read or
// render runs. Safe from any thread.
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

class RunTexts {
 public:
  using Text = std::shared_ptr<const std::string>;
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20;

  explicit RunTexts(std::size_t most_bytes = kMostBytes) : most_bytes_(most_bytes) {}

  // One for each run, in their order; null: none is known that shows the run as it was listed, or
  // later. That a text is newer than the list does no harm: it would have been a moment later, and
  // no list shows an older one afterwards.
  std::vector<Text> find(std::string_view organisation, std::span<const store::ListedRun> runs);

  // What was made of a run that was read after it was listed so, and
  // so shows this state or a later one.
  void keep(std::string_view organisation, const store::ListedRun& run, Text text);

  std::size_t bytes() const;  // that all of them take, more or less

 private:
  struct Entry {
    std::string key;  // of organisation and run
    std::int64_t stamp = 0;
    Text text;

    std::size_t bytes() const;
  };
  using Entries = std::list<Entry>;

  void move_out(Entries::iterator entry, Entries& to);

  mutable std::mutex mutex_;
  const std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  Entries entries_;  // the one that was listed last comes first
  std::unordered_map<std::string_view, Entries::iterator> by_key_;  // views of `entries_`
};

}  // namespace vibe::server
