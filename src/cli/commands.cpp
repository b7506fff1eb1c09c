#include "cli/commands.h"

#include <array>

namespace vibe::cli {

namespace {

constexpr Option kJson{"--json", 0, "",
                       "print JSON for machines; diagnostics go to standard error"};
constexpr std::array kVersionOptions{kJson};

constexpr std::array kCommands{
    Command{"completion",
            "bash|zsh|fish",
            1,
            1,
            "print a completion script for a shell",
            "",
            "vibe completion bash > ~/.local/share/bash-completion/completions/vibe",
            {},
            Completes::shells,
            run_completion},
    Command{"version", "", 0, 0, "print the version and the commit it was built from", "",
            "vibe version", kVersionOptions, Completes::nothing, run_version},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace vibe::cli
