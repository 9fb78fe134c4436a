#pragma once
#include <nice/agent.h>
#include <nice/interfaces.h>
#include <libsoup/soup.h>
#include <gio/gio.h>
#include <glib-unix.h>

// Macros and functions with variable arguments, which Swift cannot call.

static inline SoupServer *confab_soup_server_new(void) { return soup_server_new(NULL, NULL); }

static inline void confab_object_set_boolean(gpointer object, const char *name, gboolean value) {
  g_object_set(object, name, value, NULL);
}
static inline void confab_object_set_uint(gpointer object, const char *name, guint value) {
  g_object_set(object, name, value, NULL);
}
static inline void confab_object_set_string(gpointer object, const char *name, const char *value) {
  g_object_set(object, name, value, NULL);
}
static inline guint confab_disconnect_signals(gpointer object, gpointer data) {
  return g_signal_handlers_disconnect_by_data(object, data);
}
static inline gboolean confab_error_is(const GError *error, GQuark domain) {
  return error != NULL && error->domain == domain;
}
static inline GType confab_websocket_deflate_type(void) { return SOUP_TYPE_WEBSOCKET_EXTENSION_DEFLATE; }
static inline GType confab_websocket_manager_type(void) { return SOUP_TYPE_WEBSOCKET_EXTENSION_MANAGER; }
static inline GType confab_auth_manager_type(void) { return SOUP_TYPE_AUTH_MANAGER; }
static inline GInputStream *confab_filter_input_new(GType type, GInputStream *base) {
  return G_INPUT_STREAM(g_object_new(type, "base-stream", base, NULL));
}
// The TCP connection below libsoup's streams and TLS, borrowed; none where there is another kind of stream.
static inline GSocketConnection *confab_socket_connection_below(GIOStream *stream) {
  for (int depth = 0; stream != NULL && depth < 4; depth++) {
    if (G_IS_SOCKET_CONNECTION(stream)) return G_SOCKET_CONNECTION(stream);
    const char *base = G_IS_TLS_CONNECTION(stream) ? "base-io-stream" : "base-iostream";
    if (g_object_class_find_property(G_OBJECT_GET_CLASS(stream), base) == NULL) return NULL;
    GIOStream *below = NULL;
    g_object_get(stream, base, &below, NULL);
    // The stream above keeps it.
    if (below != NULL) g_object_unref(below);
    stream = below;
  }
  return NULL;
}
static inline gboolean confab_is_pollable(gpointer stream) {
  return G_IS_POLLABLE_OUTPUT_STREAM(stream) && g_pollable_output_stream_can_poll(G_POLLABLE_OUTPUT_STREAM(stream));
}
