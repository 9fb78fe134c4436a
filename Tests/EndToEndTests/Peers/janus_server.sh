#!/bin/sh
# Runs Debian's Janus with VideoRoom and WebSockets alone, in the foreground, with media on 192.0.2.2.
#   janus_server.sh FOLDER [general-lines] [nat-lines] [room-settings]
# FOLDER is for its configuration; the lines go into the configuration as they are. Plugins are left out with PLUGINS=none.
set -eu
folder=$1
library=$(dirname "$(find /usr/lib -path '*/janus/transports/libjanus_websockets.so' | head -1)")/..
rm -rf "$folder/conf" "$folder/plugins" "$folder/transports"
mkdir -p "$folder/conf" "$folder/plugins" "$folder/transports" "$folder/none"
if [ "${PLUGINS:-}" = none ]; then
  ln -s "$library/plugins/libjanus_echotest.so" "$folder/plugins/"
else
  ln -s "$library/plugins/libjanus_videoroom.so" "$folder/plugins/"
fi
ln -s "$library/transports/libjanus_websockets.so" "$folder/transports/"
cat >"$folder/conf/janus.jcfg" <<J
general: {
  configs_folder = "$folder/conf"
  plugins_folder = "$folder/plugins"
  transports_folder = "$folder/transports"
  events_folder = "$folder/none"
  loggers_folder = "$folder/none"
  debug_level = 4
  debug_colors = false
  interface = "192.0.2.2"
  server_name = "test"
  ${2:-}
}
media: {
  ipv6 = false
  rtp_port_range = "20000-20999"
}
nat: {
  ice_enforce_list = "192.0.2.2"
  ${3:-}
}
J
cat >"$folder/conf/janus.transport.websockets.jcfg" <<J
general: {
  json = "compact"
  ws = true
  ws_port = 8188
  wss = false
}
admin: { admin_ws = false }
J
cat >"$folder/conf/janus.plugin.videoroom.jcfg" <<J
general: { ${5:-} }
room-1234: {
  description = "Lab"
  secret = "moderator"
  publishers = 12
  bitrate = 2000000
  audiocodec = "opus"
  videocodec = "vp8"
  audiolevel_ext = true
  audiolevel_event = true
  audio_active_packets = 25
  notify_joining = true
  ${4:-}
}
room-77: {
  description = "Locked"
  secret = "moderator"
  pin = "sesame"
  publishers = 1
  videocodec = "vp8"
}
J
echo 'general: { }' >"$folder/conf/janus.plugin.echotest.jcfg"
exec janus --configs-folder="$folder/conf" --config="$folder/conf/janus.jcfg"
