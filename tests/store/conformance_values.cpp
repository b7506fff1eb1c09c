// Suites and their versions; variables, secrets, answers.
#include "store/conformance.h"

namespace vibe::test {

using base::Code;

// ---- suites

TEST_P(StoreConformance, KeepsVersionsOfSuites) {
  store::SuiteEntry entry{"s", "text one", "s.yaml", 3, 0, 0, {}};
  EXPECT_EQ(store_->archive().suites().save(entry, 10).value(), 1u);
  EXPECT_EQ(store_->archive().suites().save(entry, 20).value(), 1u);  // the same text
  entry.text = "text two";
  EXPECT_EQ(store_->archive().suites().save(entry, 30).value(), 2u);
  entry.text = "text one";
  EXPECT_EQ(store_->archive().suites().save(entry, 40).value(), 3u);  // back again is an edit, too

  const auto last = store_->archive().suites().last("s").value();
  ASSERT_TRUE(last);
  EXPECT_EQ(last->text, "text one");
  EXPECT_EQ(last->path, "s.yaml");
  EXPECT_EQ(last->evals, 3u);
  EXPECT_EQ(last->version, 3u);
  EXPECT_EQ(last->edited_at, 40);
  EXPECT_EQ(last->last_run_at, std::nullopt);

  const auto history = store_->archive().suites().history("s").value();
  ASSERT_EQ(history.size(), 3u);
  EXPECT_EQ(history[0].version, 3u);
  EXPECT_EQ(history[1].text, "text two");
  EXPECT_EQ(history[2].edited_at, 10);
  const auto second = store_->archive().suites().version("s", 2).value();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->text, "text two");
  EXPECT_EQ(second->version, 2u);
  EXPECT_FALSE(store_->archive().suites().version("s", 4).value());
  EXPECT_FALSE(store_->archive().suites().version("other", 1).value());
  EXPECT_FALSE(store_->archive().suites().last("other").value());
  EXPECT_TRUE(store_->archive().suites().history("other").value().empty());
}

TEST_P(StoreConformance, ASuiteReadFromAnotherFileIsNoEdit) {
  ASSERT_TRUE(store_->archive().suites().save({"s", "text", "old.yaml", 1, 0, 0, {}}, 10));
  EXPECT_EQ(store_->archive().suites().save({"s", "text", "new.yaml", 2, 0, 0, {}}, 20).value(),
            1u);
  const auto last = store_->archive().suites().last("s").value();
  EXPECT_EQ(last->path, "new.yaml");
  EXPECT_EQ(last->evals, 2u);
  EXPECT_EQ(last->edited_at, 10);
}

TEST_P(StoreConformance, ListsSuitesByNameWithTheirLastRun) {
  ASSERT_TRUE(store_->journal().begin(run_with("early", 5)));
  for (const char* name : {"zebra", "suite", "apple"})
    ASSERT_TRUE(store_->archive().suites().save({name, name, "", 1, 0, 0, {}}, 1));
  const auto suites = store_->archive().suites().list().value();
  ASSERT_EQ(suites.size(), 3u);
  EXPECT_EQ(suites[0].name, "apple");
  EXPECT_EQ(suites[0].last_run_at, std::nullopt);
  EXPECT_EQ(suites[1].name, "suite");
  EXPECT_EQ(suites[1].last_run_at, 5);
  EXPECT_TRUE(suites[1].text.empty());
  EXPECT_EQ(suites[2].name, "zebra");
  ASSERT_TRUE(store_->journal().begin(run_with("late", 50)));
  ASSERT_TRUE(store_->journal().begin(run_with("between", 20)));
  EXPECT_EQ(store_->archive().suites().last("suite").value()->last_run_at, 50);
}

// ---- variables, secrets, answers

TEST_P(StoreConformance, KeepsVariables) {
  EXPECT_FALSE(store_->archive().variables().find("x").value());
  const std::string bytes("a\0\xff", 3);
  ASSERT_TRUE(store_->archive().variables().set("x", "1"));
  ASSERT_TRUE(store_->archive().variables().set("x", bytes));
  ASSERT_TRUE(store_->archive().variables().set("A.b-c_9", ""));
  EXPECT_EQ(open()->archive().variables().find("x").value(), bytes);
  const auto all = store_->archive().variables().list().value();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "A.b-c_9");
  EXPECT_EQ(all[1].value, bytes);
  EXPECT_TRUE(store_->archive().variables().remove("x").value());
  EXPECT_FALSE(store_->archive().variables().remove("x").value());
}

TEST_P(StoreConformance, KeepsSecrets) {
  EXPECT_FALSE(store_->vault().open("key").value());
  ASSERT_TRUE(store_->archive().variables().set_secret("key", "s3cret"));
  ASSERT_TRUE(store_->archive().variables().set_secret("another", std::string(64 * 1024, 'x')));
  EXPECT_EQ(open()->vault().open("key").value(), "s3cret");
  ASSERT_TRUE(open()->archive().variables().set_secret("key", "other"));
  EXPECT_EQ(store_->vault().open("key").value(), "other");
  EXPECT_EQ(store_->archive().variables().secret_names().value(), (Ids{"another", "key"}));
  EXPECT_TRUE(store_->archive().variables().remove_secret("key").value());
  EXPECT_FALSE(store_->archive().variables().remove_secret("key").value());
}

TEST_P(StoreConformance, RefusesNamesAndValuesThatDoNotFit) {
  const std::string longest(store::kMostNameBytes, 'n'), most(store::kMostValueBytes, 'v');
  EXPECT_TRUE(store_->archive().variables().set(longest, most));
  EXPECT_TRUE(store_->archive().variables().set_secret(longest, most));
  for (const std::string& name : {std::string(), longest + "n", std::string("a b"),
                                  std::string("a/b"), std::string("é"), std::string("a\0b", 3)}) {
    EXPECT_TRUE(has_code(store_->archive().variables().set(name, "v").error(), Code::bad_usage))
        << name;
    EXPECT_TRUE(
        has_code(store_->archive().variables().set_secret(name, "v").error(), Code::bad_usage))
        << name;
  }
  EXPECT_TRUE(
      has_code(store_->archive().variables().set("v", most + "v").error(), Code::bad_usage));
  EXPECT_TRUE(
      has_code(store_->archive().variables().set_secret("v", most + "v").error(), Code::bad_usage));
  EXPECT_TRUE(has_code(store_->archive().variables().set_secret("v", "").error(), Code::bad_usage));
  EXPECT_TRUE(
      has_code(store_->archive().variables().set_secret("v", " \n").error(), Code::bad_usage));
  EXPECT_EQ(store_->archive().variables().list().value().size(), 1u);
  EXPECT_EQ(store_->archive().variables().secret_names().value().size(), 1u);
}

TEST_P(StoreConformance, KeepsAnswers) {
  EXPECT_FALSE(store_->cache().answer("hash").value());
  ASSERT_TRUE(store_->cache().keep_answer("hash", "one"));
  ASSERT_TRUE(store_->cache().keep_answer("hash", std::string("t\0o", 3)));
  EXPECT_EQ(open()->cache().answer("hash").value(), std::string("t\0o", 3));
}

}  // namespace vibe::test
