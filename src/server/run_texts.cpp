#include "server/run_texts.h"

#include <iterator>
#include <utility>

namespace vibe::server {

namespace {

constexpr std::size_t kBesides = 256;  // bytes that an entry takes beside its texts

// Ids of organisations have one length, so that no two keys are the same text.
void set_key(std::string& out, std::string_view organisation, std::string_view id) {
  out.assign(organisation);
  out += id;
}

}  // namespace

std::size_t RunTexts::Entry::bytes() const { return key.size() + text->size() + kBesides; }

std::vector<RunTexts::Text> RunTexts::find(std::string_view organisation,
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

void RunTexts::keep(std::string_view organisation, const store::ListedRun& run, Text text) {
  Entries added, forgotten;  // made and ended outside of the lock
  Entry& entry = added.emplace_back();
  set_key(entry.key, organisation, run.id);
  entry.stamp = run.stamp;
  entry.text = std::move(text);

  const std::lock_guard lock(mutex_);
  if (const auto found = by_key_.find(entry.key); found != by_key_.end()) {
    if (found->second->stamp > run.stamp) return;  // another thread has listed it later
    move_out(found->second, forgotten);
  }
  by_key_.emplace(entry.key, added.begin());
  bytes_ += entry.bytes();
  entries_.splice(entries_.begin(), added);
  while (bytes_ > most_bytes_) move_out(std::prev(entries_.end()), forgotten);
}

void RunTexts::move_out(Entries::iterator entry, Entries& to) {
  by_key_.erase(entry->key);
  bytes_ -= entry->bytes();
  to.splice(to.begin(), entries_, entry);
}

std::size_t RunTexts::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace vibe::server
