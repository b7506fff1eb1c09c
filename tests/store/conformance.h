// Conformance: what every backend has to do, whatever it keeps things in. A backend instantiates
// the suites `StoreConformance`, `RunLists`, `RunQueue`, `ExecutionStore`, `DirectoryConformance`
// and `AccountsConformance` with a factory of its own:
//   INSTANTIATE_TEST_SUITE_P(Sqlite, RunLists, testing::Values(BackendFactory{…}), name_of);
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "fitness/full_execution.h"
#include "store/backend.h"

namespace vibe::test {

// One place where things are kept, empty at first.
class BackendPlace {
 public:
  virtual ~BackendPlace() = default;
  virtual store::Backend& backend() = 0;
  virtual void set_clock(store::Millis now) = 0;  // the one that decides leases
};

struct BackendFactory {
  std::string name;
  std::function<std::unique_ptr<BackendPlace>()> make;
};

inline std::string name_of(const testing::TestParamInfo<BackendFactory>& info) {
  return info.param.name;
}

class BackendConformance : public testing::TestWithParam<BackendFactory> {
 protected:
  void SetUp() override { place_ = GetParam().make(); }
  store::Backend& backend() { return place_->backend(); }
  std::unique_ptr<store::Directory> directory();

  std::unique_ptr<BackendPlace> place_;
};

// With an organisation, and its store.
class StoreConformance : public BackendConformance {
 protected:
  void SetUp() override;
  std::unique_ptr<store::Store> open();

  std::string organisation_;  // its id
  std::unique_ptr<store::Store> store_;
};

class DirectoryConformance : public BackendConformance {};
class AccountsConformance : public BackendConformance {};

class RunLists : public StoreConformance {
 protected:
  void add(const std::string& id, store::Millis created, double success, double cost, double time,
           double score);
  void add_some();
  std::vector<std::string> listed(store::RunOrder order, bool ascending);
};

class RunQueue : public StoreConformance {
 protected:
  static constexpr store::Millis kLease = 100;
  void enqueue(const std::string& id);
  std::optional<store::Claim> claim(store::Store& store, std::string_view worker,
                                    store::Millis now);
  base::Result<void> renew(const store::Claim& claim, store::Millis now) {
    place_->set_clock(now);
    return store_->queue().renew(claim.held.hold, kLease / 1000.0);
  }
};

class ExecutionStore : public StoreConformance {
 protected:
  // Pages of `limit` from the first to the last; their ids.
  std::vector<std::string> all_pages(store::ExecutionQuery query, std::size_t limit);
};

// A run, a result and a decision with every field set, each different.
score::Run full_run(const std::string& id);
score::Run running(const std::string& id);  // a full one that is not at its end
score::Result full_result(std::uint32_t sample);
fitness::DecisionRecord full_decision(const std::string& id);

store::Organisation organisation_with(const std::string& slug);

// A run without any figures.
score::Run run_with(const std::string& id, store::Millis created,
                    score::RunStatus status = score::RunStatus::completed);

using Ids = std::vector<std::string>;
template <class Items>
Ids ids(const Items& items) {
  Ids out;
  for (const auto& item : items) out.push_back(item.id);
  return out;
}

// Field by field, as GoogleTest shows it.
void expect_same(const std::optional<score::Certainty>& a,
                 const std::optional<score::Certainty>& b);
void expect_same(const score::Run& a, const score::Run& b);
void expect_same(const score::Result& a, const score::Result& b);
void expect_same(const fitness::DecisionRecord& a, const fitness::DecisionRecord& b);

std::string text_of(const base::Diagnostics& diagnostics);
bool has_code(const base::Diagnostics& diagnostics, base::Code code);

}  // namespace vibe::test
