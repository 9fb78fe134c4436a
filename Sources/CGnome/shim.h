#pragma once
#include <nice/agent.h>
#include <libsoup/soup.h>
#include <gio/gio.h>
#include <glib-unix.h>
