#include "server/rendered_runs.h"

#include <iterator>
#include <utility>

namespace vibe::server {

namespace {

constexpr std::size_t kBesides = 256;  // bytes of an entry in addition to its texts

// Organisation ids have a fixed length, so no two keys collide.
void set_key(std::string& out, std::string_view organisation, std::string_view id) {
  out.assign(organisation);
  out += id;
}

}  // namespace

std::size_t RenderedRuns::Entry::bytes() const { return key.size() + text->size() + kBesides; }

std::vector<RenderedRuns::Text> RenderedRuns::find(std::string_view organisation,
                                                   std::span<const store::ListedRun> runs) {
  std::vector<Text> out(runs.size());
  std::string key;
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    set_key(key, organisation, runs[i].id);
    const auto found = by_key_.find(key);
    if (found == by_key_.end() || found->second->stamp < runs[i].stamp) continue;
    entries_.splice(entries_.begin(), entries_, found->second);
    out[i] = found->second->text;
  }
  return out;
}

void RenderedRuns::keep(std::string_view organisation, const store::ListedRun& run, Text text) {
  Entries added, forgotten;  // created and destroyed outside the lock
  Entry& entry = added.emplace_back();
  set_key(entry.key, organisation, run.id);
  entry.stamp = run.stamp;
  entry.text = std::move(text);

  const std::lock_guard lock(mutex_);
  if (const auto found = by_key_.find(entry.key); found != by_key_.end()) {
    if (found->second->stamp > run.stamp) return;  // another thread has a newer one
    move_out(found->second, forgotten);
  }
  by_key_.emplace(entry.key, added.begin());
  bytes_ += entry.bytes();
  entries_.splice(entries_.begin(), added);
  while (bytes_ > most_bytes_) move_out(std::prev(entries_.end()), forgotten);
}

void RenderedRuns::move_out(Entries::iterator entry, Entries& to) {
  by_key_.erase(entry->key);
  bytes_ -= entry->bytes();
  to.splice(to.begin(), entries_, entry);
}

std::size_t RenderedRuns::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace vibe::server
