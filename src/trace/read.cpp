#include "trace/read.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/first_failure.h"
#include "base/unpack.h"
#include "base/workers.h"
#include "base/zip.h"

namespace vibe::trace {

namespace {

base::Where where(const std::string& file) { return {base::make_source(file, ""), {}}; }

std::string signs_of_all() {
  std::string out;
  for (const auto& format : formats())
    out += fmt::format("{}{} ({})", out.empty() ? "" : "; ", format.name, format.signs);
  return out;
}

std::vector<const LogFormat*> fitting(std::string_view head, const std::string& file) {
  std::vector<const LogFormat*> out;
  if (base::is_zip(head)) {
    for (const auto& format : formats())
      if (format.fits_archive && format.fits_archive(file)) out.push_back(&format);
    return out;
  }
  for (const auto& format : formats())
    if (format.fits_text && format.fits_text(head)) out.push_back(&format);
  if (!out.empty()) return out;
  // The first object that any format recognises decides: earlier ones may be anything.
  Shapes shapes(head);
  for (auto shape = shapes.next(); shape && out.empty(); shape = shapes.next())
    for (const auto& format : formats())
      if (format.fits && format.fits(*shape)) out.push_back(&format);
  return out;
}

struct Opened {
  base::Input input;
  bool was_packed;
};

base::Result<Opened> open(const std::string& path, const Options& options) {
  constexpr std::size_t kMagic = 4;
  VIBE_TRY(auto input, base::Input::open(path));
  const auto packed = input.peek(kMagic);
  const std::string before(packed ? *packed : std::string_view());
  VIBE_TRY(auto unpacked, base::unpack(std::move(input), {.unpacked = options.most_unpacked}));
  const auto after = unpacked.peek(kMagic);
  const bool was_packed = !after || *after != before;
  // An archive is not read from start to end; its members are.
  if (!options.is_unwanted || (after && base::is_zip(*after)))
    return Opened{std::move(unpacked), was_packed};
  std::string name = unpacked.name();
  auto source = std::make_unique<base::Input>(std::move(unpacked));
  return Opened{base::Input::of(std::move(name), while_wanted(std::move(source), options)),
                was_packed};
}

// The read error, if there is one within the first `most` bytes.
base::Result<void> check_readable(base::Input& input, std::size_t most) {
  std::string bytes(kHeadBytes, '\0');
  for (std::size_t left = most; left > 0;) {
    VIBE_TRY(const auto count, input.read(bytes.data(), std::min(left, bytes.size())));
    if (count == 0) break;
    left -= count;
  }
  return {};
}

base::Result<const LogFormat*> format_of(Opened& opened) {
  base::Result<const LogFormat*> told = nullptr;
  std::size_t seen = 0;
  for (const std::size_t most : {kHeadBytes, kMostHeadBytes}) {
    VIBE_TRY(const auto head, opened.input.peek(most));
    seen = head.size();
    told = tell_format(head, opened.input.name());
    if (told || seen < most) break;
  }
  if (told && *told) return told;
  // If reading failed, report that error instead. A compressed file may show the damage only later,
  // but other input may be endless.
  constexpr std::size_t kMostChecked = std::size_t{64} << 20;
  VIBE_TRY(check_readable(opened.input, opened.was_packed ? kMostChecked : seen + 1));
  return told;
}

void read_file(const std::string& path, const LogFormat*& format, Reading& reading,
               base::Diagnostics& out) {
  auto opened = open(path, reading.options());
  if (failed(opened, out)) return;
  if (!format) {
    const auto told = format_of(*opened);
    if (failed(told, out)) return;
    format = *told;
  }
  format->read(std::move(opened->input), reading);
}

}  // namespace

const LogFormat* find_format(std::string_view name) {
  const auto rows = formats();
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const LogFormat& format) { return format.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

base::Result<const LogFormat*> tell_format(std::string_view head, const std::string& file) {
  if (head.empty()) return base::fail(base::Code::empty_log, where(file), "the file is empty");
  const auto found = fitting(head, file);
  if (found.size() == 1) return found.front();
  if (found.empty())
    return base::fail(base::Code::unknown_log, where(file), "this is not a log in a known format",
                      fmt::format("looked for: {}", signs_of_all()));
  std::vector<std::string_view> names;
  for (const LogFormat* format : found) names.push_back(format->name);
  return base::fail(base::Code::ambiguous_log, where(file),
                    fmt::format("this log matches several formats: `{}`", fmt::join(names, "`, `")),
                    "choose one with `--format NAME`");
}

ReadLog read_log(const LogFile& log, const LogFormat* format, const Options& options,
                 const UseExecution& use) {
  ReadLog out{.format = format, .executions = {}, .diagnostics = {}};
  const std::string name = base::display_name(log.path);
  Reading reading(name, options);
  read_file(log.path, out.format, reading, out.diagnostics);
  if (out.diagnostics.failed() || !out.format) return out;
  if (!log.sub_agents.empty() && out.format->has_sub_agent_logs) {
    reading.read_aside();
    for (const auto& path : log.sub_agents) read_file(path, out.format, reading, out.diagnostics);
  }
  const base::Diagnostics problems = reading.problems();
  const BadLines bad = reading.bad_lines();
  bool any = false;
  reading.finish(out.format->name, [&](Execution one) {
    any = true;
    use ? use(std::move(one)) : out.executions.push_back(std::move(one));
  });
  out.diagnostics.append(problems);
  if (any || out.diagnostics.failed()) return out;
  out.diagnostics.add(
      base::Code::empty_log, where(name),
      fmt::format("this log, read as `{}`, has nothing usable{}", out.format->name,
                  bad.count == 0
                      ? std::string()
                      : fmt::format("; {} could not be read, the first at line {}",
                                    bad.count == 1 ? "1 line" : fmt::format("{} lines", bad.count),
                                    bad.first.front())));
  return out;
}

namespace {

std::vector<ReadLog> read_together(std::span<const LogFile> logs, const LogFormat* format,
                                   const Options& options, std::size_t threads) {
  std::vector<ReadLog> out(logs.size());
  const std::size_t workers = std::min(threads, logs.size());
  std::atomic<std::size_t> next = 0;
  base::FirstFailure failure;
  const auto work = [&] {
    failure.attempt([&] {
      for (std::size_t i = next++; i < logs.size(); i = next++)
        out[i] = read_log(logs[i], format, options);
    });
  };
  {
    base::Workers others(workers);  // as many as are available
    for (std::size_t i = 1; i < workers; ++i) others.add(work);
    work();
  }
  failure.rethrow();
  return out;
}

}  // namespace

void read_logs(const std::vector<LogFile>& logs, const LogFormat* format, const Options& options,
               const UseExecution& use, const std::function<void(const LogFile&, ReadLog&)>& done) {
  constexpr std::size_t kTogether = 64;  // files per thread, whose executions are in memory
  if (logs.size() == 1) {                // it may use all threads
    ReadLog log = read_log(logs.front(), format, options, use);
    return done(logs.front(), log);
  }
  Options of_each = options;
  of_each.threads = 1;
  const std::size_t most = kTogether * std::max<std::size_t>(options.threads, 1);
  for (std::size_t begin = 0; begin < logs.size(); begin += most) {
    const auto some = std::span(logs).subspan(begin, std::min(most, logs.size() - begin));
    auto read = read_together(some, format, of_each, options.threads);
    for (std::size_t i = 0; i < some.size(); ++i) {
      for (auto& one : read[i].executions) use(std::move(one));
      read[i].executions = {};
      done(some[i], read[i]);
    }
  }
}

}  // namespace vibe::trace
