// A server's queue. A worker holds a run by two things: its lease, which it renews, and a byte of
// the lock file, which the kernel releases when its process ends. The byte is chosen at random for
// each claim: its number is the token of the hold.
#include <cstring>

#include <fmt/format.h>

#include "base/crypto.h"
#include "store/locks.h"
#include "store/sqlite_roles.h"

namespace vibe::store {

using base::Code;
using score::Run;
using score::RunStatus;

struct SqliteQueue::Entry {
  std::int64_t position, run, claim;  // claim 0: none
  Millis lease_until;
};

namespace {

// Beyond the bytes of runs, which are locked by run number.
std::int64_t draw_claim() {
  constexpr std::uint64_t kFirst = std::uint64_t{1} << 40, kEnd = std::uint64_t{1} << 62;
  const base::SealKey random = base::random_key();
  std::uint64_t bits = 0;
  std::memcpy(&bits, random.data(), sizeof bits);
  return static_cast<std::int64_t>(kFirst + bits % (kEnd - kFirst));
}

}  // namespace

Millis SqliteQueue::end_of(double lease) const {
  return session_.now() + static_cast<Millis>(lease * 1000);
}

// Writes the run as queued; nobody can reopen it while the lock is held.
std::unique_ptr<RunLock> SqliteQueue::queue_again(const Run& run, std::int64_t number,
                                                  std::string_view status) {
  const auto before = score::run_status(status);
  if (!before)
    session_.fail_damaged("run");
  else if (!score::is_finished(*before))
    session_.fail_held(fmt::format("run `{}` is not finished yet", run.id));
  auto lock = session_.lock(number);
  if (!lock && !db_.failed())
    session_.fail_held(fmt::format("another process is working on run `{}`", run.id));
  session_.overwrite_run(number, run);
  session_.store_measured(number, {});
  db_.query("UPDATE runs SET stop_requested = 0 WHERE number = ?").integer(number).run();
  return lock;
}

base::Result<std::int64_t> SqliteQueue::enqueue(const Run& run, std::string_view job) {
  Run queued = run;
  queued.status = RunStatus::queued;
  Transaction transaction(db_, Transaction::Kind::write);
  const auto key = session_.sealing_key();
  const std::string sealed = key ? base::seal(*key, job, run.id) : std::string();
  std::optional<std::int64_t> number;
  std::string status;
  {
    Query known = db_.query("SELECT number, status FROM runs WHERE id = ?");
    if (known.text(run.id).step()) {
      number = known.read_integer();
      status = known.read_text();
    }
  }
  std::unique_ptr<RunLock> lock;  // until others see that the run is queued
  if (number)
    lock = queue_again(queued, *number, status);
  else
    number = session_.insert_run(queued);
  std::int64_t queued_after = 0;
  {
    Query insert = db_.query(
        "INSERT INTO jobs (run, sealed, queued_after) VALUES (?1, ?2, "
        "(SELECT coalesce(max(arrival), 0) FROM results WHERE place >> 32 = ?1)) "
        "RETURNING queued_after");
    if (insert.integer(*number).blob(sealed).step()) queued_after = insert.read_integer();
    insert.run();
  }
  transaction.commit();
  return db_.result(queued_after);
}

bool SqliteQueue::is_free(const Entry& entry) {
  return entry.claim == 0 || entry.lease_until <= session_.now() ||
         session_.lock(entry.claim) != nullptr;  // the claiming process is gone
}

// The first entry after the position `after` that nobody works on.
std::optional<SqliteQueue::Entry> SqliteQueue::next(std::int64_t after) {
  Query query =
      db_.query("SELECT turn, run, claim, lease_until FROM jobs WHERE turn > ? ORDER BY turn");
  query.integer(after);
  while (query.step()) {
    Entry entry{};
    entry.position = query.read_integer();
    entry.run = query.read_integer();
    entry.claim = query.read_integer();
    entry.lease_until = query.read_integer();
    if (is_free(entry)) return entry;
  }
  return std::nullopt;
}

// None: another worker was faster, or the job cannot be opened.
std::optional<Claim> SqliteQueue::take(const Entry& entry, std::string_view worker, double lease,
                                       bool* is_shut) {
  const auto key = is_shut ? session_.key() : std::nullopt;
  const std::int64_t token = draw_claim();
  // Before others can see the claim, and think its process is gone.
  auto byte = session_.lock(token);
  if (!byte) return std::nullopt;
  Transaction transaction(db_, Transaction::Kind::write);
  Claim out;
  std::string sealed;
  {
    Query update = db_.query(
        "UPDATE jobs SET claim = ?, worker = ?, lease_until = ?, "
        "claims = CASE WHEN last > jobs.arrival THEN 1 ELSE claims + 1 END, arrival = last "
        "FROM (SELECT coalesce(max(arrival), 0) AS last FROM results WHERE place >> 32 = ?) "
        "WHERE turn = ? AND run = ? AND claim = ? AND lease_until = ? "
        "RETURNING claims, sealed, queued_after");
    update.integer(token).text(worker).integer(end_of(lease)).integer(entry.run);
    update.integer(entry.position).integer(entry.run).integer(entry.claim);
    if (!update.integer(entry.lease_until).step()) return std::nullopt;
    out.earlier_claims = static_cast<std::uint32_t>(update.read_integer() - 1);
    sealed = update.read_text();
    out.queued_after = update.read_integer();
    update.run();
  }
  auto run = session_.read_run(entry.run);
  if (db_.failed()) return std::nullopt;
  if (!run) return std::nullopt;
  if (is_shut) {
    auto job = key ? base::unseal(*key, sealed, run->id) : std::nullopt;
    *is_shut = !job;
    if (!job) return std::nullopt;
    out.job = std::move(*job);
  }
  transaction.commit();
  if (db_.failed()) return std::nullopt;
  out.run = std::move(*run);
  out.held = {{out.run.id, token}, std::move(byte)};
  return out;
}

base::Result<std::optional<Claim>> SqliteQueue::claim(std::string_view worker, double lease) {
  std::int64_t position = 0;
  bool is_shut = false;
  base::Diagnostics damage;  // a damaged run does not block those after it
  std::optional<Claim> out;
  while (!out) {
    const auto entry = next(position);
    if (!entry) break;
    position = entry->position;
    bool is_this_shut = false;
    out = take(*entry, worker, lease, &is_this_shut);
    is_shut = is_shut || is_this_shut;
    if (auto taken = db_.result(); !taken) {
      if (!taken.error().has(Code::store_damaged)) return tl::unexpected(std::move(taken.error()));
      damage.append(taken.error());
    }
  }
  if (!out && !db_.failed() && damage.failed()) db_.fail(std::move(damage));
  if (!out && is_shut) session_.fail_key("cannot decrypt the queued jobs");
  return db_.result(std::move(out));
}

base::Result<std::optional<Claim>> SqliteQueue::claim_run(std::string_view run,
                                                          std::string_view worker, double lease) {
  const std::int64_t number = session_.run_number(run);
  std::optional<Entry> entry;
  {
    Query query = db_.query("SELECT turn, claim, lease_until FROM jobs WHERE run = ?");
    if (query.integer(number).step()) {
      entry.emplace();
      entry->position = query.read_integer();
      entry->run = number;
      entry->claim = query.read_integer();
      entry->lease_until = query.read_integer();
    }
  }
  std::optional<Claim> out;
  if (entry && is_free(*entry)) out = take(*entry, worker, lease, nullptr);
  return db_.result(std::move(out));
}

base::Result<void> SqliteQueue::renew(const Hold& hold, double lease) {
  const std::int64_t number = session_.run_number(hold.run);
  db_.query("UPDATE jobs SET lease_until = ? WHERE run = ? AND claim = ? AND claim <> 0")
      .integer(end_of(lease))
      .integer(number)
      .integer(hold.token)
      .run();
  if (!db_.failed() && db_.changes() == 0) session_.fail_lease(hold.run);
  return db_.result();
}

base::Result<void> SqliteQueue::hand_back(const Hold& hold) {
  const std::int64_t number = session_.run_number(hold.run);
  Transaction transaction(db_, Transaction::Kind::write);
  db_.query(
         "UPDATE jobs SET claim = 0, worker = '', lease_until = 0, claims = claims - 1 "
         "WHERE run = ? AND claim = ? AND claim <> 0")
      .integer(number)
      .integer(hold.token)
      .run();
  if (!db_.failed() && db_.changes() == 0) session_.fail_lease(hold.run);
  db_.query("UPDATE runs SET status = 'queued' WHERE number = ?").integer(number).run();
  transaction.commit();
  return db_.result();
}

base::Result<QueueDepth> SqliteQueue::depth() {
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
