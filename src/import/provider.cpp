#include "import/provider.h"

#include <array>

#include <fmt/format.h>

namespace vibe::import {

namespace {

constexpr std::string_view kProviderCode =
                               "code of promptfoo's; a model `exec:COMMAND` can do the same",
                           kEndpoint = "describe it as an endpoint in the configuration";

// The first prefix that fits counts.
constexpr std::array kProviderKinds{
    ProviderKind{"openai:chat:", "openai/", ""},
    ProviderKind{"openai:responses:", "openai/", "by chat completions"},
    ProviderKind{"openai:completion:", "openai/", "by chat completions"},
    ProviderKind{"openai:assistant:", "", "an assistant is no model"},
    ProviderKind{"openai:embedding", "", "gives no answers"},
    ProviderKind{"openai:image", "", "gives no text"},
    ProviderKind{"openai:realtime", "", "gives no text"},
    ProviderKind{"openai:", "openai/", ""},
    ProviderKind{"anthropic:messages:", "anthropic/", ""},
    ProviderKind{"anthropic:completion:", "anthropic/", "by messages"},
    ProviderKind{"anthropic:", "anthropic/", ""},
    ProviderKind{"ollama:chat:", "ollama/", ""},
    ProviderKind{"ollama:completion:", "ollama/", "by chat"},
    ProviderKind{"ollama:embeddings:", "", "gives no answers"},
    ProviderKind{"ollama:", "ollama/", ""},
    ProviderKind{"openrouter:", "openrouter/", ""},
    ProviderKind{"google:", "google/", "by OpenRouter"},
    ProviderKind{"vertex:", "google/", "by OpenRouter"},
    ProviderKind{"mistral:", "mistralai/", "by OpenRouter"},
    ProviderKind{"deepseek:", "deepseek/", "by OpenRouter"},
    ProviderKind{"xai:", "x-ai/", "by OpenRouter"},
    ProviderKind{"groq:", "groq/", "by an endpoint of the configuration"},
    ProviderKind{"exec:", "exec:", "gets the prompt on standard input, not as an argument"},
    ProviderKind{"echo", "exec:cat", ""},
    ProviderKind{"http", "", kEndpoint},
    ProviderKind{"azure", "", kEndpoint},
    ProviderKind{"bedrock:", "", kEndpoint},
    ProviderKind{"python:", "", kProviderCode},
    ProviderKind{"file://", "", kProviderCode},
};

}  // namespace

std::span<const ProviderKind> provider_kinds() { return kProviderKinds; }

Model convert_provider(std::string_view id) {
  for (const auto& kind : kProviderKinds) {
    if (!id.starts_with(kind.prefix)) continue;
    if (kind.becomes.empty()) return {"", std::string(kind.remark)};
    const std::string_view rest = id.substr(kind.prefix.size());
    if (kind.prefix == "echo") return {std::string(kind.becomes), ""};
    if (rest.empty() || rest == "chat" || rest == "messages") return {"", "it names no model"};
    return {fmt::format("{}{}", kind.becomes, rest), std::string(kind.remark)};
  }
  return {"", "not known"};
}

}  // namespace vibe::import
