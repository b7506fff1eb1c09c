// FaultyStore: wraps a store; its journal fails on demand.
#pragma once

#include <string_view>

#include "store/backend.h"

namespace vibe::test {

// How many calls of each kind succeed before the next `failing` calls fail.
struct Faults {
  static constexpr int kNever = 1 << 30;
  int begin = kNever, write = kNever, add = kNever, keep = kNever, decision = kNever;
  int failing = 1;

  base::Result<void> next(int& left) {
    if (left-- > 0 || failing <= 0) return {};
    --failing;
    left = 0;
    return base::fail(base::Code::store_unusable, {}, "the disk is full");
  }
};

class FaultyJournal final : public store::Journal {
 public:
  FaultyJournal(store::Journal& journal, Faults& faults) : journal_(journal), faults_(faults) {}

  base::Result<store::HeldRun> begin(const score::Run& run) override {
    if (auto fails = faults_.next(faults_.begin); !fails) return tl::unexpected(fails.error());
    return journal_.begin(run);
  }
  base::Result<store::HeldRun> take_up(std::string_view run) override {
    return journal_.take_up(run);
  }
  base::Result<void> write(const store::Hold& hold, const score::Run& run,
                           const score::Measured& measured) override {
    if (auto fails = faults_.next(faults_.write); !fails) return fails;
    return journal_.write(hold, run, measured);
  }
  base::Result<void> add(const store::Hold& hold, const score::Result& result) override {
    if (auto fails = faults_.next(faults_.add); !fails) return fails;
    return journal_.add(hold, result);
  }
  base::Result<bool> stop_requested(std::string_view run) override {
    return journal_.stop_requested(run);
  }
  base::Result<std::size_t> mark_interrupted() override { return journal_.mark_interrupted(); }
  base::Result<std::vector<std::string>> unmeasured(std::size_t most) override {
    return journal_.unmeasured(most);
  }
  base::Result<void> add_measured(std::string_view run, const score::Measured& measured) override {
    if (auto fails = faults_.next(faults_.write); !fails) return fails;
    return journal_.add_measured(run, measured);
  }
  base::Result<void> add_certainty(std::string_view run,
                                   const score::Certainty& certainty) override {
    return journal_.add_certainty(run, certainty);
  }
  base::Result<std::vector<std::string>> keep_some(
      std::span<const fitness::ScoredExecution> executions,
      store::ExecutionPlaces& places) override {
    if (auto fails = faults_.next(faults_.keep); !fails) return tl::unexpected(fails.error());
    return journal_.keep_some(executions, places);
  }
  base::Result<void> add_decision(const fitness::DecisionRecord& decision) override {
    if (auto fails = faults_.next(faults_.decision); !fails) return fails;
    return journal_.add_decision(decision);
  }

 private:
  store::Journal& journal_;
  Faults& faults_;
};

class FaultyStore final : public store::Store {
 public:
  explicit FaultyStore(store::Store& store) : store_(store), journal_(store.journal(), faults) {}

  store::Archive& archive() override { return store_.archive(); }
  store::Journal& journal() override { return journal_; }
  store::Feed& feed() override { return store_.feed(); }
  store::Queue& queue() override { return store_.queue(); }
  store::Rescoring& rescoring() override { return store_.rescoring(); }
  store::Cache& cache() override { return store_.cache(); }
  store::Vault& vault() override { return store_.vault(); }

  Faults faults;

 private:
  store::Store& store_;
  FaultyJournal journal_;
};

}  // namespace vibe::test
