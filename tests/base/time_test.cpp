#include "base/time.h"

#include <gtest/gtest.h>

namespace vibe::base {

TEST(Time, IsWrittenAndReadAsIso) {
  EXPECT_EQ(iso_time(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(iso_time(1'763'256'297'123), "2025-11-16T01:24:57.123Z");
  EXPECT_EQ(iso_time(-1), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(parse_time("2025-11-16T01:24:57.123Z"), 1'763'256'297'123);
}

struct TimeCase {
  const char* text;
  std::int64_t seconds;  // after 2024-02-29T00:00Z
};

TEST(Time, TakesTheFormsThatPeopleWrite) {
  const std::int64_t day = *parse_time("2024-02-29");
  for (const auto& [text, seconds] :
       {TimeCase{"2024-02-29", 0}, TimeCase{"2024-02-29T01:02", 3720},
        TimeCase{"2024-02-29 01:02:03", 3723}, TimeCase{"2024-02-29T01:02:03Z", 3723},
        TimeCase{"2024-02-29T01:02:03.5+01:00", 123}, TimeCase{"2024-02-29T01:02:03-0130", 9123}})
    EXPECT_EQ((*parse_time(text) - day) / 1000, seconds) << text;
  EXPECT_EQ(*parse_time("2024-02-29T00:00:00.123456") - day, 123);
}

TEST(Time, RefusesWhatIsNone) {
  for (const char* text :
       {"", "2024", "2024-13-01", "2023-02-29", "24-01-01", "2024-01-01T", "2024-01-01T25:00",
        "2024-01-01T01:60", "2024-01-01T01:02:61", "2024-01-01T01:02:03.", "2024-01-01T01:02x",
        "2024-01-01T01:02+1", "yesterday", "2024-01-01T-1:00", "-024-01-01"})
    EXPECT_EQ(parse_time(text), std::nullopt) << text;
}

TEST(Time, DurationsAreShownInFittingUnits) {
  EXPECT_EQ(show_duration(0), "0 ms");
  EXPECT_EQ(show_duration(0.35), "350 ms");
  EXPECT_EQ(show_duration(0.9999), "1.00 s");
  EXPECT_EQ(show_duration(1.25), "1.25 s");
  EXPECT_EQ(show_duration(59.999), "1 min 00 s");
  EXPECT_EQ(show_duration(125), "2 min 05 s");
  EXPECT_EQ(show_duration(3725), "1 h 02 min");
}

}  // namespace vibe::base
