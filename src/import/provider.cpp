#include "import/provider.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace vibe::import {

namespace {

constexpr std::string_view
    kProviderCode = "promptfoo runs code for it; an `exec:COMMAND` model can do the same",
    kEndpoint = "describe it as an endpoint in the configuration",
    kAgent = "an agent, not a model; `exec:COMMAND` can run one",
    kNoAnswers = "does not answer prompts", kNoText = "does not answer in text",
    kOpenrouter = "through OpenRouter; the name may differ there";

// The first matching prefix counts.
constexpr std::array kProviderKinds{
    ProviderKind{"openai:chat:", "openai/", ""},
    ProviderKind{"openai:responses:", "openai/", "through chat completions"},
    ProviderKind{"openai:completion:", "openai/", "through chat completions"},
    ProviderKind{"openai:assistant", "", "an assistant, not a model"},
    ProviderKind{"openai:agents", "", kAgent},
    ProviderKind{"openai:chatkit", "", kAgent},
    ProviderKind{"openai:codex", "", kAgent},
    ProviderKind{"openai:codex-app-server", "", kAgent},
    ProviderKind{"openai:codex-sdk", "", kAgent},
    ProviderKind{"openai:embedding", "", kNoAnswers},
    ProviderKind{"openai:embeddings", "", kNoAnswers},
    ProviderKind{"openai:image", "", kNoText},
    ProviderKind{"openai:moderation", "", kNoAnswers},
    ProviderKind{"openai:realtime", "", "uses a WebSocket"},
    ProviderKind{"openai:speech", "", kNoText},
    ProviderKind{"openai:transcription", "", "does not accept text"},
    ProviderKind{"openai:video", "", kNoText},
    ProviderKind{"openai:", "openai/", ""},
    ProviderKind{"anthropic:messages:", "anthropic/", "", "claude"},
    ProviderKind{"anthropic:completion:", "anthropic/", "through messages", "claude"},
    ProviderKind{"anthropic:claude-agent-sdk", "", kAgent},
    ProviderKind{"anthropic:claude-code", "", kAgent},
    ProviderKind{"anthropic:", "anthropic/", "", "claude"},
    ProviderKind{"claude-agent-sdk", "", kAgent},
    ProviderKind{"ollama:chat:", "ollama/", ""},
    ProviderKind{"ollama:completion:", "ollama/", "through chat"},
    ProviderKind{"ollama:embeddings", "", kNoAnswers},
    ProviderKind{"ollama:", "ollama/", ""},
    ProviderKind{"openrouter:", "openrouter/", ""},
    ProviderKind{"google:embedding", "", kNoAnswers},
    ProviderKind{"google:image", "", kNoText},
    ProviderKind{"google:live", "", "uses a WebSocket"},
    ProviderKind{"google:video", "", kNoText},
    ProviderKind{"google:", "google/", kOpenrouter, "gem"},
    ProviderKind{"vertex:", "google/", kOpenrouter, "gem"},
    ProviderKind{"mistral:", "mistralai/", kOpenrouter},
    ProviderKind{"deepseek:", "deepseek/", kOpenrouter, "deepseek"},
    ProviderKind{"xai:", "x-ai/", kOpenrouter, "grok"},
    ProviderKind{"groq:", "groq/", "through an endpoint in the configuration"},
    ProviderKind{"exec:", "exec:", "gets the prompt on standard input, not as an argument"},
    ProviderKind{"echo", "exec:cat", ""},
    ProviderKind{"http", "", kEndpoint},
    ProviderKind{"https", "", kEndpoint},
    ProviderKind{"websocket", "", "uses a WebSocket"},
    ProviderKind{"ws", "", "uses a WebSocket"},
    ProviderKind{"wss", "", "uses a WebSocket"},
    ProviderKind{"webhook", "", kEndpoint},
    ProviderKind{"azure", "", kEndpoint},
    ProviderKind{"azureopenai", "", kEndpoint},
    ProviderKind{"bedrock", "", kEndpoint},
    ProviderKind{"bedrock-agent", "", kAgent},
    ProviderKind{"sagemaker", "", kEndpoint},
    ProviderKind{"cerebras", "", kEndpoint},
    ProviderKind{"cloudflare-ai", "", kEndpoint},
    ProviderKind{"cohere", "", kEndpoint},
    ProviderKind{"databricks", "", kEndpoint},
    ProviderKind{"fireworks", "", kEndpoint},
    ProviderKind{"github", "", kEndpoint},
    ProviderKind{"huggingface", "", kEndpoint},
    ProviderKind{"litellm", "", kEndpoint},
    ProviderKind{"llamafile", "", kEndpoint},
    ProviderKind{"localai", "", kEndpoint},
    ProviderKind{"perplexity", "", kEndpoint},
    ProviderKind{"portkey", "", kEndpoint},
    ProviderKind{"replicate", "", kEndpoint},
    ProviderKind{"together", "", kEndpoint},
    ProviderKind{"togetherai", "", kEndpoint},
    ProviderKind{"vllm", "", kEndpoint},
    ProviderKind{"voyage", "", kNoAnswers},
    ProviderKind{"browser", "", kProviderCode},
    ProviderKind{"file", "", kProviderCode},
    ProviderKind{"golang", "", kProviderCode},
    ProviderKind{"javascript", "", kProviderCode},
    ProviderKind{"package", "", kProviderCode},
    ProviderKind{"python", "", kProviderCode},
    ProviderKind{"ruby", "", kProviderCode},
    ProviderKind{"mcp", "", "calls tools; it is not a model"},
    ProviderKind{"promptfoo", "", "part of promptfoo"},
    ProviderKind{"sequence", "", "part of promptfoo"},
    ProviderKind{"manual-input", "", "part of promptfoo"},
};

// Parts of a model's name that tell why it does not answer in text.
struct Part {
  std::string_view text, remark;
};
constexpr std::array kOtherModels{
    Part{"dall-e", kNoText},
    Part{"gpt-image", kNoText},
    Part{"imagen", kNoText},
    Part{"image-generation", kNoText},
    Part{"sora", kNoText},
    Part{"veo-", kNoText},
    Part{"tts", kNoText},
    Part{"whisper", "does not accept text"},
    Part{"transcribe", "does not accept text"},
    Part{"embed", kNoAnswers},
    Part{"moderation", kNoAnswers},
    Part{"realtime", "uses a WebSocket"},
    Part{"native-audio", "uses a WebSocket"},
};

bool has_prefix(const ProviderKind& kind, std::string_view id) {
  if (!id.starts_with(kind.prefix)) return false;
  const std::string_view rest = id.substr(kind.prefix.size());
  return kind.prefix.ends_with(':') || rest.empty() || rest[0] == ':';
}

// Why the rest of an id is not a model name; empty: it is one.
std::string_view fault_of(const ProviderKind& kind, std::string_view rest) {
  constexpr std::string_view kNameless = "it does not name a model";
  if (rest.empty() || rest == "chat" || rest == "messages" || rest == "completion")
    return kNameless;
  if (kind.becomes == "exec:") return {};
  if (std::ranges::any_of(rest, [](char c) { return static_cast<unsigned char>(c) <= ' '; }))
    return kNameless;
  // `openai:video:sora-2` would be an unknown kind; only fine-tuned models, and Ollama and
  // OpenRouter tags, have colons in their names.
  const bool has_tags = kind.becomes == "ollama/" || kind.becomes == "openrouter/";
  if (!has_tags && rest.find(':') != std::string_view::npos && !rest.starts_with("ft:"))
    return "unknown kind";
  if (!rest.starts_with(kind.names)) return "there is no such model; use OpenRouter's name for it";
  for (const auto& part : kOtherModels)
    if (rest.find(part.text) != std::string_view::npos) return part.remark;
  return {};
}

}  // namespace

std::span<const ProviderKind> provider_kinds() { return kProviderKinds; }

Model convert_provider(std::string_view id) {
  if (id.find("{{") != std::string_view::npos) return {"", "its name is a template"};
  for (const auto& kind : kProviderKinds) {
    if (!has_prefix(kind, id)) continue;
    if (kind.becomes.empty()) return {"", std::string(kind.remark)};
    if (kind.prefix == "echo") return {std::string(kind.becomes), ""};
    const std::string_view rest = id.substr(kind.prefix.size());
    if (const auto fault = fault_of(kind, rest); !fault.empty()) return {"", std::string(fault)};
    return {fmt::format("{}{}", kind.becomes, rest), std::string(kind.remark)};
  }
  return {"", "not known"};
}

}  // namespace vibe::import
