#!/bin/sh
# Makes a private network with loopback and the address 192.0.2.2 on an interface of its own, for peers that leave loopback
# interfaces out, prints the number of a process in it, and keeps it until it is killed. Programs are run in it with
#   nsenter --target NUMBER --net PROGRAM
# Nothing is left behind at its end.
set -eu
[ "${1:-}" = inside ] || exec unshare --net --kill-child "$0" inside
ip link set lo up
ip link add peers0 type veth peer name peers1
ip addr add 192.0.2.2/32 dev peers0
for name in peers0 peers1; do
  echo 1 >"/proc/sys/net/ipv6/conf/$name/disable_ipv6" 2>/dev/null || true
  ip link set "$name" up
done
echo "network $$"
exec sleep infinity
