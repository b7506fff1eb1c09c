// Curl: the libcurl functions that vibe uses. The library is loaded on first use, so a command that
// sends nothing does not pay for it. Only for http_client.cpp. Safe from any thread.
#pragma once

#include <string>

#include <curl/curl.h>

namespace vibe::model {

struct Curl {
  decltype(&curl_global_init) global_init;
  decltype(&curl_easy_init) easy_init;
  decltype(&curl_easy_cleanup) easy_cleanup;
  decltype(&curl_easy_setopt) easy_setopt;
  decltype(&curl_easy_getinfo) easy_getinfo;
  decltype(&curl_easy_strerror) easy_strerror;
  decltype(&curl_multi_init) multi_init;
  decltype(&curl_multi_cleanup) multi_cleanup;
  decltype(&curl_multi_setopt) multi_setopt;
  decltype(&curl_multi_add_handle) multi_add;
  decltype(&curl_multi_remove_handle) multi_remove;
  decltype(&curl_multi_socket_action) multi_socket_action;
  decltype(&curl_multi_info_read) multi_info_read;
  decltype(&curl_multi_assign) multi_assign;
  decltype(&curl_slist_append) slist_append;
  decltype(&curl_slist_free_all) slist_free_all;
  decltype(&curl_url) url;
  decltype(&curl_url_cleanup) url_cleanup;
  decltype(&curl_url_set) url_set;
  decltype(&curl_url_get) url_get;
  decltype(&curl_free) free;
};

struct LoadedCurl {
  Curl curl{};
  std::string error;  // empty: loaded
};

const LoadedCurl& load_curl();

}  // namespace vibe::model
