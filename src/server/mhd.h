// Mhd: the functions of libmicrohttpd, loaded on first use, so that other commands do not pay for
// it. Only for http*.cpp. Safe from any thread.
#pragma once

#include <string>

#include <sys/types.h>

#include <microhttpd.h>

namespace vibe::server {

struct Mhd {
  decltype(&MHD_start_daemon) start_daemon;
  decltype(&MHD_stop_daemon) stop_daemon;
  decltype(&MHD_get_daemon_info) get_daemon_info;
  decltype(&MHD_run) run;
  decltype(&MHD_get_timeout) get_timeout;
  decltype(&MHD_add_connection) add_connection;
  decltype(&MHD_get_connection_values_n) get_connection_values;
  decltype(&MHD_get_connection_info) get_connection_info;
  decltype(&MHD_suspend_connection) suspend_connection;
  decltype(&MHD_resume_connection) resume_connection;
  decltype(&MHD_queue_response) queue_response;
  decltype(&MHD_create_response_from_buffer_with_free_callback_cls) response_from_buffer;
  decltype(&MHD_create_response_from_callback) response_from_callback;
  decltype(&MHD_add_response_header) add_response_header;
  decltype(&MHD_set_response_options) set_response_options;
  decltype(&MHD_destroy_response) destroy_response;
  decltype(&MHD_get_reason_phrase_for) reason_phrase;
  // from GnuTLS, to send a last answer; null: the library has no TLS
  ssize_t (*tls_send)(void* session, const void* data, std::size_t size);
};

struct LoadedMhd {
  Mhd mhd{};
  std::string error;  // empty: loaded
};

const LoadedMhd& load_mhd();

}  // namespace vibe::server
