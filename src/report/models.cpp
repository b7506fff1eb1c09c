#include "report/models.h"

#include <fmt/format.h>

#include "base/text.h"
#include "report/table.h"

namespace vibe::report {

namespace {

std::string dollars(double per_million) {
  return "$" + (per_million >= 0.01 || per_million == 0 ? fmt::format("{:.2f}", per_million)
                                                        : base::to_decimal(per_million, 6));
}

std::string tokens(std::int64_t count) {
  if (count == 0) return "N/A";
  if (count % 1000 == 0) return fmt::format("{}k", count / 1000);
  return fmt::format("{}", count);
}

std::string key(const std::string& variable, bool is_set) {
  if (variable.empty()) return "none needed";
  return fmt::format("{} {}", variable, is_set ? "(set)" : "(not set)");
}

}  // namespace

std::string model_table(const model::ModelList& list, const TextStyle& style) {
  std::string out;
  if (!list.models.empty()) {
    Table table({{"Model", Align::left, 16},
                 {"Input/M", Align::right, 0},
                 {"Output/M", Align::right, 0},
                 {"Context", Align::right, 0},
                 {"Key", Align::left, 0}});
    for (const auto& model : list.models)
      table.add({base::printable(model.row.id), dollars(model.row.price.input),
                 dollars(model.row.price.output), tokens(model.row.context),
                 model.provider.empty() ? "N/A" : key(model.key_variable, model.key_set)});
    out += table.to_text(style.width) + "\n";
  }
  Table forms({{"Form", Align::left, 0}, {"Goes to", Align::left, 16}, {"Key", Align::left, 0}});
  for (const auto& form : list.forms)
    forms.add({base::printable(form.form), base::printable(form.summary),
               key(form.key_variable, form.key_set)});
  out += forms.to_text(style.width);
  return out + fmt::format("\nPrices in US dollars per million tokens, as of {}, from {}\n",
                           list.date, list.origin);
}

}  // namespace vibe::report
