// The HTML document of a report, and the code that its parts share.
#include <algorithm>

#include <fmt/format.h>

#include "base/time.h"
#include "report/html_parts.h"
#include "report/markup.h"

extern "C" const char vibe_report_css[], vibe_report_css_end[];

namespace vibe::report {

namespace {

std::string_view style_sheet() {
  return {vibe_report_css, static_cast<std::size_t>(vibe_report_css_end - vibe_report_css)};
}

}  // namespace

std::string html_document(const HtmlPage& page) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<title>{}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n{}</style>\n</head>\n"
      "<body>\n<a class=\"skip\" href=\"#{}\">{}</a>\n"
      "<header class=\"top\">\n<p class=\"over\">{}</p>\n<h1><bdi>{}</bdi></h1>\n",
      escaped(page.title), style_sheet(), page.skip_to, page.skip, page.over,
      escaped(page.heading));
  out += page.meta + "</header>\n<main>\n" + page.main;
  out += fmt::format("</main>\n<footer class=\"end\">\n<p>Made by vibe {}.</p>\n</footer>\n",
                     escaped(page.version));
  return out + "</body>\n</html>\n";
}

std::string heading(int level, std::string_view text) {
  return fmt::format("<h{0}>{1}</h{0}>\n", level, escaped(text));
}

std::string figure(std::string_view name, std::string_view value, std::string_view more) {
  return fmt::format(
      "<div><dt>{}</dt><dd>{}{}</dd></div>\n", name, escaped(value),
      more.empty() ? "" : fmt::format("<span class=\"more\">{}</span>", escaped(more)));
}

std::string show_time(score::Millis time) {
  std::string text = base::iso_time(time).substr(0, 16);
  std::replace(text.begin(), text.end(), 'T', ' ');
  return text + " UTC";
}

std::string drawing(int height, std::string_view label, std::string_view inside) {
  return fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label={}>{}</svg>\n",
                     kDrawingWidth, height, attribute_value(label), inside);
}

}  // namespace vibe::report
