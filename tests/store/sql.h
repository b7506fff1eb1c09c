// What tests do to a store behind its back, and read in it: SQL in its file.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace vibe::test {

inline void execute(const std::string& path, const std::string& sql) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  sqlite3_busy_timeout(handle, 60'000);
  EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(handle);
  sqlite3_close(handle);
}

inline std::vector<std::string> first_column(const std::string& path, const std::string& sql,
                                             int column = 0) {
  std::vector<std::string> out;
  sqlite3* handle = nullptr;
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_prepare_v2(handle, sql.c_str(), -1, &statement, nullptr), SQLITE_OK)
      << sqlite3_errmsg(handle) << "\n"
      << sql;
  while (sqlite3_step(statement) == SQLITE_ROW)
    out.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(statement, column)));
  sqlite3_finalize(statement);
  sqlite3_close(handle);
  return out;
}

}  // namespace vibe::test
