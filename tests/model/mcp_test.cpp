#include "model/mcp.h"

#include <gtest/gtest.h>

#include "model/json_rpc.h"

namespace vibe::model {
namespace {

base::JsonValue json(std::string_view text) {
  auto value = base::parse_json(text);
  EXPECT_TRUE(value.has_value()) << text;
  return value.value_or(base::JsonValue());
}

TEST(Rpc, WritesMessages) {
  EXPECT_EQ(rpc::request(7, "tools/list", "{}"),
            R"({"jsonrpc":"2.0","id":7,"method":"tools/list","params":{}})");
  EXPECT_EQ(rpc::notification("notifications/initialized", ""),
            R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  EXPECT_EQ(rpc::answer({"\"a\"", "ping"}), R"({"jsonrpc":"2.0","id":"a","result":{}})");
  EXPECT_EQ(
      rpc::answer({"3", "roots/list"}),
      R"({"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"this client has no such method"}})");
}

struct ReplyCase {
  const char* name;
  std::string document;
  std::string gives;  // the result, `error CODE MESSAGE`, or `none: PROBLEM`
};
class Replies : public testing::TestWithParam<ReplyCase> {};
TEST_P(Replies, AreFound) {
  const auto& row = GetParam();
  rpc::ReplyReader reader(7);
  reader.read(row.document);
  std::string got = "none: " + reader.problem();
  if (const auto& reply = reader.reply())
    got = reply->error ? "error " + std::to_string(reply->error->code) + " " + reply->error->message
                       : base::to_text(reply->result);
  EXPECT_EQ(got.substr(0, row.gives.size()), row.gives) << got;
}
INSTANTIATE_TEST_SUITE_P(
    Rpc, Replies,
    testing::Values(
        ReplyCase{"result", R"({"jsonrpc":"2.0","id":7,"result":{"a":1}})", R"({"a":1})"},
        ReplyCase{"null_result", R"({"id":7,"result":null})", "null"},
        ReplyCase{"error", R"({"id":7,"error":{"code":-32602,"message":"bad"}})",
                  "error -32602 bad"},
        ReplyCase{"error_without_a_message", R"({"id":7,"error":{"code":5}})",
                  R"(error 5 {"code":5})"},
        ReplyCase{"error_without_an_id", R"({"id":null,"error":{"code":1,"message":"bad"}})",
                  "error 1 bad"},
        ReplyCase{"list", R"([{"method":"x"},{"id":7,"result":1}])", "1"},
        ReplyCase{"another_id", R"({"id":8,"result":1})", "none: "},
        ReplyCase{"text_id", R"({"id":"7","result":1})", "none: "},
        ReplyCase{"no_id", R"({"result":1})", "none: "},
        ReplyCase{"neither", R"({"id":7})", "none: it has neither `result` nor `error`"},
        ReplyCase{"notification", R"({"method":"x","params":{}})", "none: "},
        ReplyCase{"no_object", "3", "none: it is not a JSON object"},
        ReplyCase{"no_json", "{", "none: "}),
    [](const auto& row) { return row.param.name; });

TEST(Rpc, FindsTheReplyAmongEvents) {
  std::vector<std::string> asked;
  rpc::ReplyReader reader(7, [&](const rpc::Asked& it) { asked.push_back(it.id + it.method); });
  reader.add_events(
      "data: {\"method\":\"note\"}\n\nevent: other\ndata: {\"id\":7,\"result\":0}\n\n");
  reader.add_events("data: nonsense\n\ndata: {\"id\":\"q\",\"method\":\"ping\"}\n\n");
  EXPECT_FALSE(reader.reply().has_value());
  reader.add_events("data: {\"id\":7,\ndata: \"result\":1}\n\ndata: {\"id\":7,\"result\":2}\n\n");
  ASSERT_TRUE(reader.reply().has_value());
  EXPECT_EQ(base::to_text(reader.reply()->result), "1");
  EXPECT_EQ(asked, (std::vector<std::string>{"\"q\"ping"}));
}

struct ToolsCase {
  const char* name;
  std::string result, gives;  // `NAME/DESCRIPTION/SCHEMA` of the first, or what is wrong
};
class ToolLists : public testing::TestWithParam<ToolsCase> {};
TEST_P(ToolLists, AreRead) {
  const auto page = mcp::read_tools(json(GetParam().result));
  std::string got = page ? "(none)" : page.error();
  if (page && !page->tools.empty()) {
    const Tool& tool = page->tools[0];
    got = tool.name + "/" + tool.description + "/" + tool.parameters;
  }
  EXPECT_EQ(got, GetParam().gives);
}
INSTANTIATE_TEST_SUITE_P(
    Mcp, ToolLists,
    testing::Values(
        ToolsCase{"empty", R"({"tools":[]})", "(none)"},
        ToolsCase{"one",
                  R"({"tools":[{"name":"a","description":"d","inputSchema":)"
                  R"({"type":"object","properties":{"x":{"type":"number"}}}}]})",
                  R"(a/d/{"type":"object","properties":{"x":{"type":"number"}}})"},
        ToolsCase{"without_properties",
                  R"({"tools":[{"name":"a","title":"t","inputSchema":{"type":"object"}}]})",
                  R"(a/t/{"type":"object","properties":{}})"},
        ToolsCase{"no_list", R"({"tools":{}})", "its tool list is not a list"},
        ToolsCase{
            "no_name", R"({"tools":[{"inputSchema":{"type":"object"}}]})",
            "its tool `` has an invalid name: models accept 1 to 64 letters, digits, `_` and `-`"},
        ToolsCase{"dots", R"({"tools":[{"name":"a.b","inputSchema":{"type":"object"}}]})",
                  "its tool `a.b` has an invalid name: models accept 1 to 64 letters, digits, `_` "
                  "and `-`"},
        ToolsCase{"no_schema", R"({"tools":[{"name":"a"}]})",
                  "the `inputSchema` of its tool `a` is not an object schema"},
        ToolsCase{"schema_of_text", R"({"tools":[{"name":"a","inputSchema":{"type":"string"}}]})",
                  "the `inputSchema` of its tool `a` is not an object schema"},
        ToolsCase{"bad_properties",
                  R"({"tools":[{"name":"a","inputSchema":{"type":"object","properties":[]}}]})",
                  "the `inputSchema` of its tool `a` has `properties` that are not an object"}),
    [](const auto& row) { return row.param.name; });

struct ResultCase {
  const char* name;
  std::string result, gives;
};
class ToolResults : public testing::TestWithParam<ResultCase> {};
TEST_P(ToolResults, AreTold) {
  const auto result = mcp::read_result(json(GetParam().result));
  EXPECT_EQ(!result          ? result.error()
            : result->failed ? "failed: " + result->text
                             : result->text,
            GetParam().gives);
}
INSTANTIATE_TEST_SUITE_P(
    Mcp, ToolResults,
    testing::Values(
        ResultCase{"text", R"({"content":[{"type":"text","text":"a"}]})", "a"},
        ResultCase{"texts",
                   R"({"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]})",
                   "a\nb"},
        ResultCase{"nothing", R"({"content":[]})", ""},
        ResultCase{"failed", R"({"content":[{"type":"text","text":"a"}],"isError":true})",
                   "failed: a"},
        ResultCase{"image",
                   R"({"content":[{"type":"image","mimeType":"image/png","data":"AAAAAAA="}]})",
                   "[image: image/png, 5 bytes]"},
        ResultCase{"audio", R"({"content":[{"type":"audio","data":""}]})",
                   "[audio: unknown type, 0 bytes]"},
        ResultCase{"link", R"({"content":[{"type":"resource_link","uri":"file:///a"}]})",
                   "[resource: file:///a]"},
        ResultCase{"resource",
                   R"({"content":[{"type":"resource","resource":{"uri":"a:b","text":"t"}}]})",
                   "[resource: a:b]\nt"},
        ResultCase{"unknown", R"({"content":[{"type":"video"},{}]})", "[video]\n[unknown content]"},
        ResultCase{"structure", R"({"structuredContent":{"a":1}})", R"({"a":1})"},
        ResultCase{"structure_with_its_text",
                   R"({"content":[{"type":"text","text":"{}"}],"structuredContent":{"a":1}})",
                   "{}"},
        ResultCase{"no_content", R"({"content":"a"})", "the tool's result has no `content` list"}),
    [](const auto& row) { return row.param.name; });

TEST(Mcp, SendsTheArgumentsOfTheModel) {
  EXPECT_EQ(mcp::call_params("add", R"( {"a": 1} )").value_or("?"),
            R"({"name":"add","arguments":{"a":1}})");
  EXPECT_EQ(mcp::call_params("add", "").value_or("?"), R"({"name":"add","arguments":{}})");
  EXPECT_EQ(mcp::call_params("add", "[1]").error(), "the arguments are not a JSON object");
  EXPECT_TRUE(mcp::call_params("add", "{a").error().starts_with("the arguments are not JSON: "));
}

}  // namespace
}  // namespace vibe::model
