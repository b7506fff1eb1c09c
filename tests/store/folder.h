// Folder: a temporary folder for a store, removed at the end; and what tests do to its files.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "store/sqlite.h"

namespace vibe::test {

class Folder {
 public:
  Folder() {
    std::string path = (std::filesystem::temp_directory_path() / "vibe-store-XXXXXX").string();
    if (!::mkdtemp(path.data())) std::abort();
    path_ = path;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  std::string home() const { return path_ / "home"; }  // not there at first
  std::string file(const std::string& name) const { return path_ / "home" / name; }
  std::string database() const { return file("vibecheck.db"); }

  std::unique_ptr<store::Store> open() const {
    auto store = store::open_sqlite(home());
    if (!store) {
      ADD_FAILURE() << base::render(store.error());
      std::abort();
    }
    return std::move(*store);
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace vibe::test
