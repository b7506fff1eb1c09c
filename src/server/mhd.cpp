#include "server/mhd.h"

#include "base/library.h"

namespace vibe::server {

namespace {

using base::find_symbol;

bool find_symbols(void* library, Mhd& mhd) {
  find_symbol(library, "gnutls_record_send", mhd.tls_send);  // from GnuTLS, which it links
  return find_symbol(library, "MHD_start_daemon", mhd.start_daemon) &&
         find_symbol(library, "MHD_stop_daemon", mhd.stop_daemon) &&
         find_symbol(library, "MHD_get_daemon_info", mhd.get_daemon_info) &&
         find_symbol(library, "MHD_run", mhd.run) &&
         find_symbol(library, "MHD_get_timeout", mhd.get_timeout) &&
         find_symbol(library, "MHD_add_connection", mhd.add_connection) &&
         find_symbol(library, "MHD_get_connection_values_n", mhd.get_connection_values) &&
         find_symbol(library, "MHD_get_connection_info", mhd.get_connection_info) &&
         find_symbol(library, "MHD_suspend_connection", mhd.suspend_connection) &&
         find_symbol(library, "MHD_resume_connection", mhd.resume_connection) &&
         find_symbol(library, "MHD_queue_response", mhd.queue_response) &&
         find_symbol(library, "MHD_create_response_from_buffer_with_free_callback_cls",
                     mhd.response_from_buffer) &&
         find_symbol(library, "MHD_create_response_from_callback", mhd.response_from_callback) &&
         find_symbol(library, "MHD_add_response_header", mhd.add_response_header) &&
         find_symbol(library, "MHD_set_response_options", mhd.set_response_options) &&
         find_symbol(library, "MHD_destroy_response", mhd.destroy_response) &&
         find_symbol(library, "MHD_get_reason_phrase_for", mhd.reason_phrase);
}

}  // namespace

const LoadedMhd& load_mhd() {
  static const LoadedMhd loaded = [] {
    LoadedMhd out;
    out.error = base::load_library("libmicrohttpd.so.12",
                                   [&](void* library) { return find_symbols(library, out.mhd); });
    return out;
  }();
  return loaded;
}

}  // namespace vibe::server
