// Answers that are taken as they come.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/http.h"

namespace vibe::model {
namespace {

using testing::HasSubstr;

TEST(HttpClientStream, ABodyOfAnyLengthIsTakenBitByBit) {
  const ModelServer server;
  const auto client = open_client();
  auto request = chat(server, "huge=300000");
  std::string taken;
  std::size_t parts = 0;
  request.most_bytes = 1000;  // of what is kept
  request.on_data = [&](std::string_view bytes) {
    taken += bytes;
    ++parts;
  };
  const auto response = fetch(*client, request);
  EXPECT_EQ(response.fault, Fault::none) << response.message;
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "");
  EXPECT_GE(taken.size(), 300'000u);
  EXPECT_GT(parts, 1u);
}

TEST(HttpClientStream, WhatIsNoStreamIsKept) {
  const ModelServer server;
  const auto client = open_client();
  auto request = chat(server, "fail=401");
  bool is_called = false;
  request.on_data = [&](std::string_view) { is_called = true; };
  const auto response = fetch(*client, request);
  EXPECT_EQ(response.status, 401);
  EXPECT_THAT(response.body, HasSubstr("error"));
  EXPECT_FALSE(is_called);
}

TEST(HttpClientStream, ATryThatFailedLeavesNothing) {
  const ModelServer server;
  const auto client = open_client();
  auto request = chat(server, "fail=503x2 say \"at last\"");
  std::string taken;
  request.on_data = [&](std::string_view bytes) { taken += bytes; };
  const auto response = fetch(*client, request);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.tries, 3);
  EXPECT_THAT(taken, HasSubstr("at last"));
  EXPECT_THAT(taken, testing::Not(HasSubstr("error")));
}

}  // namespace
}  // namespace vibe::model
