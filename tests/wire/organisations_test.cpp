#include "wire/organisations.h"

#include <gtest/gtest.h>

#include "wire/written.h"

namespace vibe::wire {

namespace {

using base::to_text;

store::Organisation full_organisation() {
  return {.id = "0189",
          .slug = "acme",
          .name = "Acme",
          .is_active = false,
          .created_at = 1000,
          .limits = {.queued_runs = 7,
                     .running_runs = 2,
                     .runs_a_day = 100,
                     .requests_a_minute = 60,
                     .credits = 12.5},
          .spent = 0.25,
          .is_operator = true};
}

TEST(OrganisationJson, HasLimitsAndStatus) {
  EXPECT_EQ(to_text(parsed(organisation_json(full_organisation()))),
            R"({"id":"0189","slug":"acme","name":"Acme","status":"suspended",)"
            R"("created_at":"1970-01-01T00:00:01.000Z","max_queued":7,"max_running":2,)"
            R"("runs_per_day":100,"requests_per_minute":60,"credits":12.5,"spent":0.25})");
  EXPECT_EQ(to_text(parsed(organisations_json(std::vector{store::Organisation()}))),
            R"({"organisations":[{"id":"","slug":"","name":"","status":"active",)"
            R"("created_at":"1970-01-01T00:00:00.000Z","max_queued":100,"max_running":4,)"
            R"("runs_per_day":null,"requests_per_minute":600,"credits":null,"spent":0}]})");
}

TEST(KeyJson, DoesNotShowHashes) {
  const KeyRow row{{.id = "k1",
                    .organisation = "0189",
                    .role = store::Role::run,
                    .name = "ci",
                    .hash = "secret",
                    .created_at = 0,
                    .expires_at = 1000,
                    .revoked_at = {},
                    .last_used_at = {}},
                   "acme"};
  const std::string_view members =
      R"("id":"k1","organisation":"acme","role":"run","name":"ci","status":"expired",)"
      R"("created_at":"1970-01-01T00:00:00.000Z","expires_at":"1970-01-01T00:00:01.000Z",)"
      R"("revoked_at":null,"last_used_at":null})";
  EXPECT_EQ(to_text(parsed(keys_json(std::vector{row}, 1000))),
            R"({"keys":[{)" + std::string(members) + "]}");
  EXPECT_EQ(to_text(parsed(new_key_json(row, "text", 1000))),
            R"({"apiKey":"text",)" + std::string(members));
}

TEST(InviteJson, DoesNotShowHashes) {
  const InviteRow row{{.id = "i1",
                       .organisation = "0189",
                       .role = store::Role::read,
                       .hash = "secret",
                       .created_at = 0,
                       .expires_at = 1000,
                       .used_at = {}},
                      "acme"};
  EXPECT_EQ(to_text(parsed(invites_json(std::vector{row}, 0))),
            R"({"invites":[{"id":"i1","organisation":"acme","role":"read","status":"open",)"
            R"("created_at":"1970-01-01T00:00:00.000Z","expires_at":"1970-01-01T00:00:01.000Z",)"
            R"("used_at":null}]})");
}

}  // namespace

}  // namespace vibe::wire
