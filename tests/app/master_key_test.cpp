// Reads and makes a server's master key, and opens its folder.
#include "app/team/master_key.h"

#include <gtest/gtest.h>

#include "app/team/server_folder.h"
#include "app/world.h"
#include "store/sqlite.h"

namespace vibe::app {
namespace {

using base::Code;

constexpr const char* kKeyVariable = "VIBECHECK_MASTER_KEY";
const std::string kHexKey = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const std::string kOtherKey = std::string(64, 'a');

struct KeyText {
  const char* name;
  std::string text;
  bool is_key;
};
class KeyTexts : public testing::TestWithParam<KeyText> {};

TEST_P(KeyTexts, AreKeysOrNot) {
  UserHome user;
  user.set(kKeyVariable, GetParam().text);
  const auto key = environment_key();
  if (!GetParam().is_key) {
    ASSERT_FALSE(key);
    EXPECT_EQ(all_codes(key.error()), Found{Code::store_key});
    EXPECT_EQ(base::render(key.error()).find(GetParam().text), std::string::npos);
    return;
  }
  ASSERT_TRUE(key && *key);
  EXPECT_EQ(**key, base::parse_key(kHexKey));
}

INSTANTIATE_TEST_SUITE_P(
    MasterKey, KeyTexts,
    testing::Values(KeyText{"hex", kHexKey, true},
                    KeyText{"white_space", " " + kHexKey + "\n", true},
                    KeyText{"base64", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", true},
                    KeyText{"short_one", kHexKey.substr(2), false},
                    KeyText{"long_one", kHexKey + "00", false},
                    KeyText{"word", "correct-horse-battery-staple", false}),
    [](const auto& row) { return row.param.name; });

TEST(MasterKey, AnEmptyVariableIsNone) {
  UserHome user;
  EXPECT_EQ(environment_key().value(), std::nullopt);
  user.set(kKeyVariable, "  ");
  EXPECT_EQ(environment_key().value(), std::nullopt);
}

TEST(MasterKey, IsForgotten) {
  UserHome user;
  user.set(kKeyVariable, kHexKey);
  forget_environment_key();
  EXPECT_EQ(std::getenv(kKeyVariable), nullptr);
  EXPECT_EQ(environment_key().value(), std::nullopt);
}

// ---- the key of a server folder

struct KeyedFolder : UserHome {
  base::Result<base::SealKey> open() {
    const auto directory = store::open_directory(home());
    EXPECT_TRUE(directory) << base::render(directory.error());
    return open_master_key(home(), **directory);
  }
  std::string file() const { return home() + "/secret.key"; }
};

TEST(MasterKey, IsMadeOnceAndStays) {
  KeyedFolder folder;
  const auto first = folder.open();
  ASSERT_TRUE(first) << base::render(first.error());
  EXPECT_TRUE(std::filesystem::exists(folder.file()));
  EXPECT_EQ(*folder.open(), *first);
  EXPECT_NE(master_key_place(folder.home()).find(folder.file()), std::string::npos);
}

TEST(MasterKey, OfTheEnvironmentNeedsNoFile) {
  KeyedFolder folder;
  folder.set(kKeyVariable, kHexKey);
  EXPECT_EQ(*folder.open(), base::parse_key(kHexKey));
  EXPECT_FALSE(std::filesystem::exists(folder.file()));
  EXPECT_NE(master_key_place(folder.home()).find(kKeyVariable), std::string::npos);
}

TEST(MasterKey, AnotherOneThanBeforeIsRefused) {
  KeyedFolder folder;
  folder.set(kKeyVariable, kHexKey);
  ASSERT_TRUE(folder.open());
  folder.set(kKeyVariable, kOtherKey);
  EXPECT_EQ(all_codes(folder.open().error()), Found{Code::store_key});
  folder.unset(kKeyVariable);  // without a key, no new one is made
  EXPECT_EQ(all_codes(folder.open().error()), Found{Code::store_key});
  EXPECT_FALSE(std::filesystem::exists(folder.file()));
  folder.set(kKeyVariable, kHexKey);
  EXPECT_TRUE(folder.open());
}

TEST(MasterKey, HasToOpenTheSecretsThatWereThereBefore) {
  KeyedFolder folder;
  ASSERT_TRUE((*store::open_sqlite(folder.home()))->archive().variables().set_secret("a", "x"));
  folder.set(kKeyVariable, kOtherKey);
  EXPECT_EQ(all_codes(folder.open().error()), Found{Code::store_key});
  folder.unset(kKeyVariable);
  EXPECT_TRUE(folder.open());  // the key file that sealed them
  std::filesystem::rename(folder.file(), folder.file() + ".moved");
  EXPECT_EQ(all_codes(folder.open().error()), Found{Code::store_key});
  EXPECT_FALSE(std::filesystem::exists(folder.file()));
}

TEST(MasterKey, SaysWhetherItOpensAllSecrets) {
  const test::Folder folder;
  const auto open = [&](const std::string& key) {
    return *store::open_sqlite(folder.home(), {.key = base::parse_key(key)});
  };
  EXPECT_EQ(opens_secrets(*open(kHexKey)), true);  // there are no secrets
  ASSERT_TRUE(open(kHexKey)->archive().variables().set_secret("a", "x"));
  EXPECT_EQ(opens_secrets(*open(kHexKey)), true);
  EXPECT_EQ(opens_secrets(*open(kOtherKey)), false);
}

// ---- the server folder

TEST(ServerFolder, IsMadeWhereThatIsWanted) {
  UserHome user;
  base::Diagnostics out;
  for (const auto use : {FolderUse::change, FolderUse::read}) {
    out = {};
    EXPECT_FALSE(open_server_folder(use, out));
    EXPECT_EQ(all_codes(out), Found{Code::not_found});
  }
  EXPECT_FALSE(std::filesystem::exists(user.home()));
  out = {};
  const auto made = open_server_folder(FolderUse::make, out);
  ASSERT_TRUE(made && made->directory) << base::render(out);
  EXPECT_EQ(made->home, user.home());
  EXPECT_TRUE(made->directory->organisations().list()->empty());
  EXPECT_TRUE(open_server_folder(FolderUse::change, out)) << base::render(out);
}

TEST(ServerFolder, ADamagedOneIsSaid) {
  UserHome user;
  user.write_home("server.db", std::string(5000, 'x'));
  base::Diagnostics out;
  EXPECT_FALSE(open_server_folder(FolderUse::read, out));
  EXPECT_EQ(all_codes(out), Found{Code::store_damaged});
}

}  // namespace
}  // namespace vibe::app
