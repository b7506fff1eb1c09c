#include "wire/csv.h"

#include <string_view>

#include "base/json.h"
#include "base/text.h"

namespace vibe::wire {

std::string csv_row(const std::vector<std::string>& cells) {
  std::string out;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::string cell = cells[i];
    const bool is_number = base::parse_double(cell).has_value();
    if (!cell.empty() && std::string_view("=+-@\t\r").find(cell[0]) != std::string_view::npos &&
        !is_number)
      cell.insert(0, 1, '\'');
    if (i > 0) out += ',';
    if (cell.find_first_of(",\"\r\n") == std::string::npos) {
      out += cell;
      continue;
    }
    out += '"';
    for (const char c : cell) out.append(c == '"' ? 2 : 1, c);
    out += '"';
  }
  return out + "\r\n";
}

std::string csv_number(const std::optional<double>& value) {
  return value ? base::JsonWriter().number(*value).text() : "";
}

}  // namespace vibe::wire
