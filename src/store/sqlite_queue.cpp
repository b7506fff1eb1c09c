// The queue of a server. A worker has a run by two things: its lease, which it renews, and a byte
// of the file of locks that the kernel gives up when its process ends. The byte is drawn for each
// claim, and tells what is written under one claim from what is written under another.
#include <cstring>

#include <fmt/format.h>

#include "base/crypto.h"
#include "store/locks.h"
#include "store/sqlite_store.h"

namespace vibe::store {

using base::Code;
using score::Run;
using score::RunStatus;

struct SqliteStore::Job {
  std::int64_t turn, run, claim;  // claim 0: none
  Millis lease_until;
};

namespace {

class ClaimLock : public RunLock {
 public:
  ClaimLock(std::unique_ptr<RunLock> byte, std::shared_ptr<const std::int64_t> claim)
      : byte_(std::move(byte)), claim_(std::move(claim)) {}

 private:
  std::unique_ptr<RunLock> byte_;
  std::shared_ptr<const std::int64_t> claim_;  // its store checks what is written as long as it is
};

// Beyond the bytes of runs, which are locked by their numbers.
std::int64_t draw_claim() {
  constexpr std::uint64_t kFirst = std::uint64_t{1} << 40, kEnd = std::uint64_t{1} << 62;
  const base::SealKey random = base::random_key();
  std::uint64_t bits = 0;
  std::memcpy(&bits, random.data(), sizeof bits);
  return static_cast<std::int64_t>(kFirst + bits % (kEnd - kFirst));
}

}  // namespace

void SqliteStore::fail_lease(std::string_view run) {
  db_.fail(Code::lease_lost, fmt::format("run `{}` is not this worker's any more", run));
}

// Within the write that it is to protect.
void SqliteStore::check_claim(std::int64_t number, std::string_view id) {
  const auto found = claims_.find(number);
  if (found == claims_.end()) return;
  const auto claim = found->second.lock();
  if (!claim) {
    claims_.erase(found);
    return;
  }
  Query query = db_.query("SELECT 1 FROM jobs WHERE run = ? AND claim = ?");
  if (!query.integer(number).integer(*claim).step()) fail_lease(id);
}

std::int64_t SqliteStore::queue_again(const Run& run, std::int64_t number,
                                      std::string_view status) {
  const auto before = score::run_status(status);
  if (!before)
    fail_damaged("run");
  else if (!score::is_finished(*before))
    db_.fail(Code::run_held, fmt::format("run `{}` is not finished yet", run.id),
             "wait until it is finished, or stop it by `vibe stop`");
  const auto held = lock(number);
  if (!held && !db_.failed())
    db_.fail(Code::run_held, fmt::format("another process is at work on run `{}`", run.id),
             "wait until it is finished, or stop it by `vibe stop`");
  overwrite_run(number, run, {});
  db_.query("UPDATE runs SET stop_requested = 0 WHERE number = ?").integer(number).run();
  return number;
}

base::Result<void> SqliteStore::enqueue(const Run& run, std::string_view order) {
  Run queued = run;
  queued.status = RunStatus::queued;
  Transaction transaction(db_, Transaction::Kind::write);
  const auto key = sealing_key();
  const std::string sealed = key ? base::seal(*key, order, run.id) : std::string();
  std::optional<std::int64_t> number;
  std::string status;
  {
    Query known = db_.query("SELECT number, status FROM runs WHERE id = ?");
    if (known.text(run.id).step()) {
      number = known.read_integer();
      status = known.read_text();
    }
  }
  number = number ? queue_again(queued, *number, status) : insert_run(queued);
  db_.query("INSERT INTO jobs (run, sealed) VALUES (?, ?)").integer(*number).blob(sealed).run();
  transaction.commit();
  return db_.result();
}

// The first after the turn `after` that nobody works on.
std::optional<SqliteStore::Job> SqliteStore::next_job(std::int64_t after, Millis now) {
  Query query =
      db_.query("SELECT turn, run, claim, lease_until FROM jobs WHERE turn > ? ORDER BY turn");
  query.integer(after);
  while (query.step()) {
    Job job{};
    job.turn = query.read_integer();
    job.run = query.read_integer();
    job.claim = query.read_integer();
    job.lease_until = query.read_integer();
    if (job.claim == 0 || job.lease_until <= now || is_gone(job.claim)) return job;
  }
  return std::nullopt;
}

bool SqliteStore::is_gone(std::int64_t claim) { return lock(claim) != nullptr; }

// None: another was faster, or the order is shut: the key does not open it.
std::optional<Claim> SqliteStore::take(const Job& job, std::string_view worker, Millis until,
                                       bool& is_shut) {
  const auto key = this->key();
  const auto claim = std::make_shared<const std::int64_t>(draw_claim());
  auto byte = lock(*claim);  // before others can see the claim, and take it for one that is gone
  if (!byte) return std::nullopt;
  Transaction transaction(db_, Transaction::Kind::write);
  Claim out;
  std::string sealed;
  {
    Query update = db_.query(
        "UPDATE jobs SET claim = ?, worker = ?, lease_until = ?, "
        "claims = CASE WHEN last > jobs.arrival THEN 1 ELSE claims + 1 END, arrival = last "
        "FROM (SELECT coalesce(max(arrival), 0) AS last FROM results WHERE place >> 32 = ?) "
        "WHERE turn = ? AND run = ? AND claim = ? AND lease_until = ? RETURNING claims, sealed");
    update.integer(*claim).text(worker).integer(until).integer(job.run);
    update.integer(job.turn).integer(job.run).integer(job.claim).integer(job.lease_until);
    if (!update.step()) return std::nullopt;
    out.earlier_claims = static_cast<std::uint32_t>(update.read_integer() - 1);
    sealed = update.read_text();
    update.run();
  }
  auto run = read_whole_run(job.run);
  if (db_.failed()) return std::nullopt;
  auto order = key && run ? base::unseal(*key, sealed, run->id) : std::nullopt;
  if (!order) {
    is_shut = true;
    return std::nullopt;
  }
  transaction.commit();
  if (db_.failed()) return std::nullopt;
  out.run = std::move(*run);
  out.order = std::move(*order);
  std::erase_if(claims_, [](const auto& each) { return each.second.expired(); });
  claims_[job.run] = claim;
  out.lock = std::make_unique<ClaimLock>(std::move(byte), claim);
  return out;
}

base::Result<std::optional<Claim>> SqliteStore::claim(std::string_view worker, Millis now,
                                                      Millis until) {
  std::int64_t turn = 0;
  bool is_shut = false;
  base::Diagnostics damage;  // those after a damaged run do not wait for it
  std::optional<Claim> out;
  while (!out) {
    const auto job = next_job(turn, now);
    if (!job) break;
    turn = job->turn;
    out = take(*job, worker, until, is_shut);
    if (auto taken = db_.result(); !taken) {
      const bool is_damaged = taken.error().all().front().code == Code::store_damaged;
      if (!is_damaged) return tl::unexpected(std::move(taken.error()));
      damage.append(taken.error());
    }
  }
  if (!out && !db_.failed() && damage.failed()) db_.fail(std::move(damage));
  if (!out && is_shut) fail_key("does not open what runs of the queue were ordered with");
  return db_.result(std::move(out));
}

base::Result<void> SqliteStore::renew(std::string_view run, std::string_view worker, Millis until) {
  const std::int64_t number = number_of(run);
  db_.query("UPDATE jobs SET lease_until = ? WHERE run = ? AND worker = ? AND claim <> 0")
      .integer(until)
      .integer(number)
      .text(worker)
      .run();
  if (!db_.failed() && db_.changes() == 0) fail_lease(run);
  return db_.result();
}

base::Result<void> SqliteStore::hand_back(std::string_view run, std::string_view worker) {
  const std::int64_t number = number_of(run);
  Transaction transaction(db_, Transaction::Kind::write);
  db_.query(
         "UPDATE jobs SET claim = 0, worker = '', lease_until = 0, claims = claims - 1 "
         "WHERE run = ? AND worker = ? AND claim <> 0")
      .integer(number)
      .text(worker)
      .run();
  if (!db_.failed() && db_.changes() == 0) fail_lease(run);
  db_.query("UPDATE runs SET status = 'queued' WHERE number = ?").integer(number).run();
  transaction.commit();
  return db_.result();
}

base::Result<QueueDepth> SqliteStore::queue_depth() {
  Query query =
      db_.query("SELECT coalesce(sum(claim = 0), 0), coalesce(sum(claim <> 0), 0) FROM jobs");
  QueueDepth out;
  if (query.step()) {
    out.waiting = static_cast<std::size_t>(query.read_integer());
    out.claimed = static_cast<std::size_t>(query.read_integer());
  }
  return db_.result(out);
}

}  // namespace vibe::store
