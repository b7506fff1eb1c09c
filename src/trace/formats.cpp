#include <array>

#include "trace/atif.h"
#include "trace/claude.h"
#include "trace/codex.h"
#include "trace/gemini.h"
#include "trace/hook.h"
#include "trace/inspect.h"
#include "trace/openhands.h"
#include "trace/otel.h"
#include "trace/own.h"
#include "trace/swe_agent.h"

namespace vibe::trace {

std::span<const Format> formats() {
  // Not constexpr only because a span of another file's rows is not.
  static const std::array kFormats{
      Format{.name = "atif",
             .title = "ATIF trajectory",
             .found = "what Harbor and other harnesses export: `trajectory.json`",
             .signs = "`steps` and `schema_version`",
             .fits = is_atif,
             .fits_archive = nullptr,
             .read = read_atif,
             .fields = atif_fields(),
             .not_known =
                 "whether a call succeeded, but for what its output says; corrections; retries",
             .versions = "ATIF v1.5"},
      Format{.name = "claude",
             .title = "Claude Code transcript",
             .found = "`~/.claude/projects/PROJECT/SESSION.jsonl`",
             .signs = "`type` with `sessionId` or `message`",
             .fits = is_claude,
             .fits_archive = nullptr,
             .read = read_claude,
             .fields = claude_fields(),
             .not_known = "the exact number of output tokens: in interactive sessions it is often "
                          "a placeholder; whether the run ended in error",
             .versions = "1.0 to 2.1"},
      Format{
          .name = "claude-stream",
          .title = "Claude Code stream",
          .found = "`claude -p --output-format stream-json --verbose`, and recordings of the SDK",
          .signs = "`type` with `session_id`, or `direction` and `message`",
          .fits = is_claude_stream,
          .fits_archive = nullptr,
          .read = read_claude,
          .fields = claude_stream_fields(),
          .not_known = "times, so that the duration is not known",
          .versions = "1.0 to 2.1"},
      Format{.name = "codex",
             .title = "Codex rollout",
             .found = "`~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`",
             .signs = "`type` and `payload`, or an item with `call_id`",
             .fits = is_codex,
             .fits_archive = nullptr,
             .read = read_codex,
             .fields = codex_fields(),
             .not_known = "the outcome of calls that have neither an exit code nor a text of "
                          "failure; in the first generation times and tokens",
             .versions = "August 2025 (items without an envelope), 0.40 to 0.128"},
      Format{.name = "codex-exec",
             .title = "Codex exec stream",
             .found = "`codex exec --json`",
             .signs = "`type` such as `thread.started`, or `msg.type`",
             .fits = is_codex_exec,
             .fits_archive = nullptr,
             .read = read_codex_exec,
             .fields = codex_exec_fields(),
             .not_known = "times; the model, and so the cost",
             .versions = "written from its description; no log of a real run was at hand"},
      Format{.name = "gemini",
             .title = "Gemini CLI session",
             .found = "`~/.gemini/tmp/PROJECT/chats/session-*.json` (newer: `.jsonl`), and `gemini "
                      "-p --output-format stream-json`",
             .signs = "`sessionId` with `messages` or `projectHash`",
             .fits = is_gemini,
             .fits_archive = nullptr,
             .read = read_gemini,
             .fields = gemini_fields(),
             .not_known = "exit codes",
             .versions = "written from its description; no log of a real run was at hand"},
      Format{.name = "hook",
             .title = "hook log",
             .found = "what a hook of Claude Code or another agent appends to a file",
             .signs = "`tool` with `ts`, `timestamp` or `exit`; or `hook_event_name`",
             .fits = is_hook,
             .fits_archive = nullptr,
             .read = read_hook,
             .fields = hook_fields(),
             .not_known =
                 "tokens, cost and the model; the final answer, but for Stop events that hold it",
             .versions = "those of ten projects of 2025 and 2026"},
      Format{
          .name = "inspect",
          .title = "Inspect eval log",
          .found = "`logs/*.eval` and `logs/*.json` of `inspect eval`; each sample is an execution",
          .signs = "`eval` with `version` or `status`; a zip archive",
          .fits = is_inspect,
          .fits_archive = is_inspect_archive,
          .read = read_inspect,
          .fields = inspect_fields(),
          .not_known = "exit codes: a shell command that fails is no error there",
          .versions = "version 2 of the log, of 2024 to 2026"},
      Format{.name = "mini-swe-agent",
             .title = "mini-swe-agent trajectory",
             .found = "`*.traj.json`",
             .signs = "messages with `role` and `content`",
             .fits = is_mini_swe_agent,
             .fits_archive = nullptr,
             .read = read_mini_swe_agent,
             .fields = mini_swe_agent_fields(),
             .not_known = "in older ones times, tokens and cost",
             .versions = "1.x (a list of messages) and 2.x"},
      Format{.name = "openhands",
             .title = "OpenHands events",
             .found = "an exported trajectory, or `output.jsonl` of its evaluations",
             .signs = "`action` or `observation` with `source`, or `history`",
             .fits = is_openhands,
             .fits_archive = nullptr,
             .read = read_openhands,
             .fields = openhands_fields(),
             .not_known = "in evaluations the times of old versions",
             .versions = "V0 of 2024 and 2025; V1 from its description"},
      Format{
          .name = "otel",
          .title = "OpenTelemetry spans",
          .found = "an export of OTLP JSON, Jaeger, Tempo or Zipkin, or a list of spans",
          .signs = "`resourceSpans`, `batches`, `data[].spans`, or spans with trace and span ids",
          .fits = is_otel,
          .fits_archive = nullptr,
          .read = read_otel,
          .fields = otel_fields(),
          .not_known = "corrections; the final answer where messages were not recorded, or only in "
                       "the older `gen_ai.completion.*`",
          .versions = "GenAI conventions of 2024 to 2026, OpenInference, Vercel's AI SDK"},
      Format{.name = "swe-agent",
             .title = "SWE-agent trajectory",
             .found = "`trajectories/…/*.traj`",
             .signs = "`trajectory` with `action`",
             .fits = is_swe_agent,
             .fits_archive = nullptr,
             .read = read_swe_agent,
             .fields = swe_agent_fields(),
             .not_known = "whether a step succeeded; times; the model",
             .versions = "0.x and 1.x"},
      Format{.name = "vibecheck",
             .title = "vibecheck executions",
             .found = "`vibe fitness show --jsonl`",
             .signs = "`format`, `tool_calls` and `failed_calls`",
             .fits = is_own,
             .fits_archive = nullptr,
             .read = read_own,
             .fields = own_fields(),
             .not_known = "calls, unless they were written with `--calls`",
             .versions = "this one"},
  };
  return kFormats;
}

}  // namespace vibe::trace
