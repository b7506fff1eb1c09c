#include "wire/models.h"

#include <fmt/format.h>

#include "base/text.h"
#include "wire/json.h"

namespace vibe::wire {

namespace {

void write_key(base::JsonWriter& json, const auto& of) {
  json.key("key_variable").known(of.key_variable).key("key_set").boolean(of.key_set);
}

void read_key(const base::JsonValue& from, auto& of) {
  of.key_variable = from.text_of("key_variable");
  of.key_set = is_true(from, "key_set");
}

// The usual name, or else the provider's.
std::string model_name(const price::ModelRow& row) {
  return row.name.empty() ? row.id.substr(row.id.find('/') + 1) : row.name;
}

std::string description(const model::KnownModel& model) {
  std::string out = base::printable(model_name(model.row));
  if (!model.provider.empty()) out += fmt::format(", answered by {}", model.provider);
  if (model.row.context > 0) out += fmt::format(", {} tokens of context", model.row.context);
  return out;
}

}  // namespace

std::string models_json(const model::ModelList& list) {
  constexpr double kMillion = 1e6;
  constexpr int kDigits = 15;  // the API's clients cannot read `1e-07`
  auto json = indented_json();
  json.begin_object().key("models").begin_array();
  for (const auto& model : list.models) {
    json.begin_object().key("id").string(model.row.id).key("name").string(model_name(model.row));
    json.key("description").string(description(model));
    json.key("supported_parameters").begin_array();
    for (const auto& name : model.parameters) json.string(name);
    json.end_array();
    json.key("pricing").begin_object();
    json.key("prompt").string(base::to_decimal(model.row.price.input / kMillion, kDigits));
    json.key("completion").string(base::to_decimal(model.row.price.output / kMillion, kDigits));
    json.end_object();
    json.key("context_length");
    model.row.context > 0 ? json.integer(model.row.context) : json.null();
    json.key("provider").known(model.provider);
    write_key(json, model);
    json.key("runnable").boolean(model.runnable);
    if (!model.same_as.empty()) json.key("same_as").string(model.same_as);
    json.end_object();
  }
  json.end_array().key("forms").begin_array();
  for (const auto& form : list.forms) {
    json.begin_object().key("form").string(form.form).key("summary").string(form.summary);
    write_key(json, form);
    json.end_object();
  }
  json.end_array().key("prices").begin_object();
  json.key("date").string(list.date).key("origin").string(list.origin).end_object().end_object();
  return json_document(json);
}

std::optional<model::ModelList> read_models(const base::JsonValue& from) {
  constexpr double kMillion = 1e6;
  const auto *models = from.find("models"), *forms = from.find("forms");
  if (!models || !models->array()) return std::nullopt;
  model::ModelList out;
  for (const auto& one : *models->array()) {
    auto& model = out.models.emplace_back();
    model.row.id = one.text_of("id");
    model.row.name = one.text_of("name");
    const auto* pricing = one.find("pricing");
    const auto price = [&](std::string_view key) {
      const auto number = pricing ? base::parse_double(pricing->text_of(key)) : std::nullopt;
      return number.value_or(0) * kMillion;
    };
    model.row.price.input = price("prompt");
    model.row.price.output = price("completion");
    model.row.context = one.integer_of("context_length").value_or(0);
    model.provider = one.text_of("provider");
    read_key(one, model);
    const auto* names = one.find("supported_parameters");
    model.runnable = is_true(one, "runnable");
    model.same_as = one.text_of("same_as");
    if (names && names->array())
      for (const auto& name : *names->array())
        if (name.text()) model.parameters.push_back(*name.text());
  }
  if (forms && forms->array())
    for (const auto& one : *forms->array()) {
      auto& form = out.forms.emplace_back();
      form.form = one.text_of("form");
      form.summary = one.text_of("summary");
      read_key(one, form);
    }
  if (const auto* prices = from.find("prices")) {
    out.date = prices->text_of("date");
    out.origin = prices->text_of("origin");
  }
  return out;
}

}  // namespace vibe::wire
