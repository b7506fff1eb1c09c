#include "model/curl.h"

#include "base/library.h"

namespace vibe::model {

namespace {

using base::find_symbol;

bool find_symbols(void* library, Curl& curl) {
  return find_symbol(library, "curl_global_init", curl.global_init) &&
         find_symbol(library, "curl_easy_init", curl.easy_init) &&
         find_symbol(library, "curl_easy_cleanup", curl.easy_cleanup) &&
         find_symbol(library, "curl_easy_setopt", curl.easy_setopt) &&
         find_symbol(library, "curl_easy_getinfo", curl.easy_getinfo) &&
         find_symbol(library, "curl_easy_strerror", curl.easy_strerror) &&
         find_symbol(library, "curl_multi_init", curl.multi_init) &&
         find_symbol(library, "curl_multi_cleanup", curl.multi_cleanup) &&
         find_symbol(library, "curl_multi_setopt", curl.multi_setopt) &&
         find_symbol(library, "curl_multi_add_handle", curl.multi_add) &&
         find_symbol(library, "curl_multi_remove_handle", curl.multi_remove) &&
         find_symbol(library, "curl_multi_socket_action", curl.multi_socket_action) &&
         find_symbol(library, "curl_multi_info_read", curl.multi_info_read) &&
         find_symbol(library, "curl_multi_assign", curl.multi_assign) &&
         find_symbol(library, "curl_slist_append", curl.slist_append) &&
         find_symbol(library, "curl_slist_free_all", curl.slist_free_all) &&
         find_symbol(library, "curl_url", curl.url) &&
         find_symbol(library, "curl_url_cleanup", curl.url_cleanup) &&
         find_symbol(library, "curl_url_set", curl.url_set) &&
         find_symbol(library, "curl_url_get", curl.url_get) &&
         find_symbol(library, "curl_free", curl.free);
}

}  // namespace

const LoadedCurl& load_curl() {
  static const LoadedCurl loaded = [] {
    LoadedCurl out;
    out.error = base::load_library("libcurl.so.4",
                                   [&](void* library) { return find_symbols(library, out.curl); });
    if (out.error.empty() && out.curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
      out.error = "it cannot be initialised";
    return out;
  }();
  return loaded;
}

}  // namespace vibe::model
