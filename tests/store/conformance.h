// Conformance: what every store has to do, whatever it keeps things in. A backend instantiates
// the suites `StoreConformance`, `RunLists`, `RunQueue` and `ExecutionStore` with a factory of its
// own:
//   INSTANTIATE_TEST_SUITE_P(Sqlite, StoreConformance, testing::Values(StoreFactory{…}), name_of);
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "store/store.h"

namespace vibe::test {

// One place where things are kept, empty at first. Several stores may be open on it at a time.
class StorePlace {
 public:
  virtual ~StorePlace() = default;
  virtual base::Result<std::unique_ptr<store::Store>> open() = 0;
};

struct StoreFactory {
  std::string name;
  std::function<std::unique_ptr<StorePlace>()> make;
};

inline std::string name_of(const testing::TestParamInfo<StoreFactory>& info) {
  return info.param.name;
}

class StoreConformance : public testing::TestWithParam<StoreFactory> {
 protected:
  void SetUp() override;
  std::unique_ptr<store::Store> open();

  std::unique_ptr<StorePlace> place_;
  std::unique_ptr<store::Store> store_;
};

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
  static std::optional<store::Claim> claim(store::Store& store, std::string_view worker,
                                           store::Millis now);
};

class ExecutionStore : public StoreConformance {
 protected:
  // Pages of `limit` from the first to the last; their ids.
  std::vector<std::string> all_pages(store::ExecutionQuery query, std::size_t limit);
};

// A run, a result, a scored execution and a decision with every field set, each different.
score::Run full_run(const std::string& id);
score::Run running(const std::string& id);  // a full one that is not at its end
score::Result full_result(std::uint32_t sample);
fitness::ScoredExecution full_execution(const std::string& id);
fitness::DecisionRecord full_decision(const std::string& id);

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
void expect_same(const score::Run& a, const score::Run& b);
void expect_same(const score::Result& a, const score::Result& b);
void expect_same(const fitness::DecisionRecord& a, const fitness::DecisionRecord& b);

std::string text_of(const base::Diagnostics& diagnostics);
bool has_code(const base::Diagnostics& diagnostics, base::Code code);

}  // namespace vibe::test
