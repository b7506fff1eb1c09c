#include "base/shape.h"

#include <gtest/gtest.h>

#include "base/shape_json.h"
#include "wire/csv.h"

namespace vibe::test {

enum class Colour : std::uint8_t { red, green };
constexpr std::string_view to_string(Colour colour) {
  return colour == Colour::red ? "red" : "green";
}
inline std::optional<Colour> colour(std::string_view name) {
  if (name == "red") return Colour::red;
  return name == "green" ? std::optional(Colour::green) : std::nullopt;
}

struct Part {
  std::string name;
  std::vector<Part> parts = {};
};

struct Thing {
  std::string title, note;
  Colour colour = Colour::red;
  std::optional<double> weight;
  std::optional<std::int64_t> count, seen_at;
  std::uint32_t place = 0;  // from 0
  bool is_new = false;
  std::string tree;  // JSON
  std::vector<Part> parts;
  std::string size;  // written by hand
};
inline std::optional<double> half(const Thing& thing) {
  return thing.weight ? std::optional(*thing.weight / 2) : std::nullopt;
}

struct Forgotten {
  int a = 0, b = 0;
};

// With members that have members of their own.
struct Engine {
  std::int64_t power = 0, weight = 0;
  bool is_new = false;
  bool operator==(const Engine&) const = default;
};
struct Owner {
  std::string name;
  std::uint64_t number = 0;
  bool operator==(const Owner&) const = default;
};
struct Car {
  std::string plate;
  std::optional<Engine> engine;
  Owner owner;
  std::optional<std::int64_t> built_at;  // microseconds
  Colour colour = Colour::red;
  bool operator==(const Car&) const = default;
};
struct Garage {
  Car car;
  Owner owner;
};
inline std::string_view letter(const Owner& owner) {
  return std::string_view(owner.name).substr(0, 1);
}

}  // namespace vibe::test

namespace vibe::base {

using test::Car, test::Engine, test::Forgotten, test::Garage, test::Owner, test::Part, test::Thing;

template <>
inline constexpr auto kReadName<test::Colour> = &test::colour;
template <>
inline constexpr auto kRows<Part> =
    Rows{Row<&Part::name>{"name", "name"}, Row<&Part::parts>{"parts", "parts", Wire::given}};
template <>
inline constexpr auto kRows<Thing> = Rows{
    Row<&Thing::title>{"title", "title", Wire::value, Csv{2}},
    Row<&Thing::note>{"note", "note", Wire::known},
    Row<&Thing::colour>{"colour", "colour", Wire::value, Csv{1}},
    Row<&Thing::weight>{"weight", "weight_kg", Wire::text, Csv{3}},
    Derived<test::half>{"half", Wire::known, Csv{5}},
    Row<&Thing::count>{"count", "count", Wire::given},
    Row<&Thing::seen_at>{"seen_at", "seen_at", Wire::time, Csv{4}},
    Row<&Thing::place>{"place", "place", Wire::from_one, Csv{6}},
    Row<&Thing::is_new>{"is_new", "new", Wire::given, Csv{7}},
    Row<&Thing::tree>{.column = "tree", .key = "tree", .wire = Wire::json, .is_detail = true},
    Row<&Thing::parts>{"parts", "pieces", Wire::given},
    Row<&Thing::size>{"", "size", Wire::own},
};
template <>
inline constexpr auto kRows<Forgotten> = Rows{Row<&Forgotten::a>{"a", "a"}};
template <>
inline constexpr auto kRows<Owner> = Rows{
    Row<&Owner::name>{"name", "owner", Wire::known, Csv{2, "who"}},
    Derived<test::letter>{"letter"},
    Row<&Owner::number>{"number", "number"},
};
template <>
inline constexpr auto kRows<Car> = join(
    Rows{
        Row<&Car::plate>{"plate", "plate", Wire::value, Csv{1}},
        Row<&Car::engine, &Engine::power>{
            .column = "power", .key = "power", .wire = Wire::known, .decides = true},
        Row<&Car::engine, &Engine::weight>{"weight", "weight", Wire::known},
        Row<&Car::engine, &Engine::is_new>{"is_new", "new", Wire::flag},
    },
    within<&Car::owner>(kRows<Owner>),
    Rows{
        Row<&Car::built_at>{"built_at", "built_at", Wire::micros},
        Row<&Car::colour>{"colour", "colour", Wire::known},
    });
// Some of what is inside, and a whole beside its part.
template <>
inline constexpr auto kRows<Garage> = Rows{
    Row<&Garage::car, &Car::engine, &Engine::power>{"power"},
    Row<&Garage::owner>{.key = "owner"},
    Row<&Garage::owner, &Owner::name>{"owner"},
    Row<&Garage::owner, &Owner::number>{"number"},
};

template <>
struct Own<WireJson, Row<&Thing::size>> {
  static void write(JsonWriter& json, const Thing& thing) {
    json.key("size").begin_array().string(thing.size).end_array();
  }
  static bool read(const JsonValue& from, Thing& out) {
    const JsonValue* size = from.find("size");
    if (const JsonValue* first = size ? size->at(0) : nullptr; first && first->text())
      out.size = *first->text();
    return out.size != "refused";
  }
};

static_assert(has_row_for_each<Part>() && has_row_for_each<Thing>());
static_assert(!has_row_for_each<Forgotten>(), "a member without a row is found");
static_assert(has_row_for_each<Car>());
static_assert(!has_row_for_each<Garage>(), "also one that is inside of another");

}  // namespace vibe::base

namespace vibe::test {
namespace {

using base::KeptJson;
using base::WireJson;

Thing full() {
  return {.title = "a",
          .note = "b",
          .colour = Colour::green,
          .weight = 0.25,
          .count = 0,
          .seen_at = 1000,
          .place = 4,
          .is_new = true,
          .tree = R"({"x":[1]})",
          .parts = {{"p", {{"q"}}}},
          .size = "s"};
}

template <class Names>
std::string written(const Thing& thing, base::Detail detail = base::Detail::all) {
  base::JsonWriter json;
  json.begin_object();
  base::write_members<Names>(json, thing, detail);
  return json.end_object().text();
}

template <class Names>
std::optional<Thing> read(std::string_view text) {
  Thing out;
  const auto json = base::parse_json(text);
  if (!json || !base::read_members<Names>(*json, out)) return std::nullopt;
  return out;
}

TEST(Shape, WritesTheApisJson) {
  EXPECT_EQ(written<WireJson>(full()),
            R"({"title":"a","note":"b","colour":"green","weight_kg":"0.25","half":0.125,"count":0,)"
            R"("seen_at":"1970-01-01T00:00:01.000Z","place":5,"new":true,"tree":{"x":[1]},)"
            R"("pieces":[{"name":"p","parts":[{"name":"q"}]}],"size":["s"]})");
  EXPECT_EQ(written<WireJson>({}),
            R"({"title":"","note":null,"colour":"red","weight_kg":null,"half":null,)"
            R"("seen_at":null,"place":1,"tree":null,"size":[""]})");
  EXPECT_EQ(written<WireJson>({}, base::Detail::none).find("tree"), std::string::npos);
}

TEST(Shape, KeepsWhatIsGiven) {
  EXPECT_EQ(written<KeptJson>(full()),
            R"({"title":"a","note":"b","colour":"green","weight":0.25,"count":0,"seen_at":1000,)"
            R"("place":4,"is_new":true,"tree":"{\"x\":[1]}",)"
            R"("parts":[{"name":"p","parts":[{"name":"q"}]}]})");
  EXPECT_EQ(written<KeptJson>({}), R"({"colour":"red","place":0})");
}

TEST(Shape, ReadsWhatItWrote) {
  for (const Thing& thing : {full(), Thing()}) {
    const auto sent = read<WireJson>(written<WireJson>(thing));
    ASSERT_TRUE(sent);
    EXPECT_EQ(written<WireJson>(*sent), written<WireJson>(thing));
    const auto kept = read<KeptJson>(written<KeptJson>(thing));
    ASSERT_TRUE(kept);
    EXPECT_EQ(written<KeptJson>(*kept), written<KeptJson>(thing));
  }
}

TEST(Shape, WhatIsOfAnotherTypeIsUnknown) {
  const auto thing = read<WireJson>(
      R"({"title":7,"note":[],"colour":"red","weight_kg":{},"count":1.5,"seen_at":"soon",)"
      R"("place":-1,"new":"yes","pieces":7})");
  ASSERT_TRUE(thing);
  EXPECT_EQ(written<KeptJson>(*thing), R"({"colour":"red","place":0})");
  EXPECT_EQ(read<WireJson>(R"({"colour":"red","weight_kg":2,"count":"3"})")->weight, 2);
  EXPECT_EQ(read<WireJson>(R"({"colour":"red","weight_kg":2,"count":"3"})")->count, 3);
}

TEST(Shape, WhatCannotBeIsRefused) {
  for (const char* text : {
           R"({})",                                                      // no colour
           R"({"colour":"blue"})",                                       // an unknown one
           R"({"colour":"red","pieces":[7]})",                           // not a part
           R"({"colour":"red","pieces":[{"name":"a","parts":["b"]}]})",  // nor inside one
           R"({"colour":"red","size":["refused"]})",                     // by its own function
       })
    EXPECT_FALSE(read<WireJson>(text)) << text;
}

TEST(Shape, CsvHasTheOrderOfItsPlaces) {
  const std::vector<Thing> things{full(), {}};
  EXPECT_EQ(wire::csv_of(std::span<const Thing>(things)),
            "colour,title,weight_kg,seen_at,half,place,new\r\n"
            "green,a,0.25,1970-01-01T00:00:01.000Z,0.125,5,true\r\n"
            "red,,,,,1,false\r\n");
}

Car full_car() {
  return {.plate = "B 1",
          .engine = Engine{75, 120, true},
          .owner = {"Ann", UINT64_MAX},
          .built_at = 1'000'001,
          .colour = Colour::green};
}

std::string written_car(const Car& car) {
  base::JsonWriter json;
  base::write_value<WireJson>(json, car);
  return json.text();
}

Car read_car(std::string_view text) {
  Car out;
  EXPECT_TRUE(base::read_value<WireJson>(base::parse_json(text).value(), out)) << text;
  return out;
}

TEST(ShapePath, IsWrittenBesideTheOtherMembers) {
  EXPECT_EQ(written_car(full_car()),
            R"({"plate":"B 1","power":75,"weight":120,"new":true,"owner":"Ann","letter":"A",)"
            R"("number":18446744073709551615,"built_at":"1970-01-01T00:00:01.000001Z",)"
            R"("colour":"green"})");
  EXPECT_EQ(written_car({}),
            R"({"plate":"","power":null,"weight":null,"new":false,"owner":null,"letter":"",)"
            R"("number":0,"built_at":null,"colour":"red"})");
}

TEST(ShapePath, IsReadAsItWasWritten) {
  Car car = full_car();
  car.owner.number = INT64_MAX;
  EXPECT_EQ(read_car(written_car(car)), car);
  EXPECT_EQ(read_car(written_car({})), Car());
  car = {};
  car.engine.emplace();
  EXPECT_EQ(read_car(written_car(car)), car) << "a struct of zeros is one";
}

TEST(ShapePath, TheMemberThatDecidesSaysWhetherThereIsAStruct) {
  EXPECT_EQ(read_car(R"({"weight":120,"new":true})").engine, std::nullopt);
  EXPECT_EQ(read_car(R"({"power":75,"new":7})").engine, (Engine{75, 0, false}));
}

TEST(ShapePath, AnUnknownNameOfAKnownOneIsNoError) {
  EXPECT_EQ(read_car(R"({"colour":"blue","plate":"B 1"})").plate, "B 1");
}

TEST(ShapePath, CsvHasNamesOfItsOwn) {
  const std::vector<Car> cars{full_car(), {}};
  EXPECT_EQ(wire::csv_of(std::span<const Car>(cars)),
            "plate,who\r\n"
            "B 1,Ann\r\n"
            ",\r\n");
}

}  // namespace
}  // namespace vibe::test
