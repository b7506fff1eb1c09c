#include "model/event_stream.h"

#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace vibe::model {
namespace {

// One line for each event: its type, its id and its data, line breaks as `|`.
std::string events_of(std::string_view stream, std::size_t piece) {
  std::string out;
  EventStream events([&](const Event& event) {
    std::string data = event.data;
    for (char& c : data)
      if (c == '\n') c = '|';
    out += event.type + " " + event.id + " " + data + "\n";
  });
  for (; !stream.empty(); stream.remove_prefix(std::min(piece, stream.size())))
    events.add(stream.substr(0, piece));
  events.finish();
  return out;
}

struct StreamCase {
  const char* name;
  std::string stream, events;
};
class Streams : public testing::TestWithParam<StreamCase> {};
TEST_P(Streams, AreReadInPiecesOfAnySize) {
  const auto& row = GetParam();
  for (const std::size_t piece : {1u, 2u, 3u, 1000u})
    EXPECT_EQ(events_of(row.stream, piece), row.events) << piece;
}
INSTANTIATE_TEST_SUITE_P(
    EventStream, Streams,
    testing::Values(
        StreamCase{"nothing", "", ""}, StreamCase{"one", "data: a\n\n", "message  a\n"},
        StreamCase{"carriage_returns", "data: a\r\rdata: b\r\r", "message  a\nmessage  b\n"},
        StreamCase{"both", "data: a\r\n\r\ndata: b\r\n\r\n", "message  a\nmessage  b\n"},
        StreamCase{"mixed", "data: a\r\n\ndata: b\n\r", "message  a\nmessage  b\n"},
        StreamCase{"several_lines", "data: a\ndata:b\ndata:  c\n\n", "message  a|b| c\n"},
        StreamCase{"empty_line_of_data", "data: a\ndata\ndata: b\n\n", "message  a||b\n"},
        StreamCase{"no_data_is_no_event", "id: 7\nevent: x\n\ndata: a\n\n", "message 7 a\n"},
        StreamCase{"empty_data_is_none", "id: 7\ndata:\n\ndata: a\n\n", "message 7 a\n"},
        StreamCase{"comments", ": hi\n:\ndata: a\n: there\n\n", "message  a\n"},
        StreamCase{"types_do_not_stay", "event: x\ndata: a\n\ndata: b\n\n", "x  a\nmessage  b\n"},
        StreamCase{"ids_stay", "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n",
                   "message 1 a\nmessage 1 b\nmessage  c\n"},
        StreamCase{"other_fields", "retry: 5\nfoo: x\ndata: a\n\n", "message  a\n"},
        StreamCase{"byte_order_mark",
                   "\xef\xbb\xbf"
                   "data: a\n\n",
                   "message  a\n"},
        StreamCase{"colon_in_data", "data: {\"a\": 1}\n\n", "message  {\"a\": 1}\n"},
        StreamCase{"end_without_blank_line", "data: a\n\ndata: b", "message  a\nmessage  b\n"}),
    [](const auto& row) { return row.param.name; });

RC_GTEST_PROP(EventStream, DoesNotDependOnThePieces, ()) {
  const auto stream = *rc::gen::container<std::string>(
      rc::gen::element('d', 'a', 't', ':', ' ', '\n', '\r', 'i', '\0', '\xef', '\xbb', '\xbf'));
  const auto piece = *rc::gen::inRange<std::size_t>(1, 8);
  const std::string lines = "data:x\n" + stream;
  RC_ASSERT(events_of(lines, piece) == events_of(lines, lines.size()));
}

TEST(EventStream, TellsOfComments) {
  int comments = 0, events = 0;
  EventStream stream([&](const Event&) { ++events; }, [&] { ++comments; });
  stream.add("retry: 1000\n\n");
  EXPECT_EQ(comments, 0);
  stream.add(": still ");
  stream.add("here\n\n");
  EXPECT_EQ(comments, 1);
  EXPECT_EQ(events, 0);
}

}  // namespace
}  // namespace vibe::model
