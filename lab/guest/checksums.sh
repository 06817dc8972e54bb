#!/bin/sh
# The user-space datapath of Open vSwitch 3.1 does not fill in checksums that are left to the network card, so TCP would
# fail. Says so of each interface, now and of those that are plugged in later.
fill() { case $1 in eth*) ethtool -K "$1" tx off ;; esac; }
for path in /sys/class/net/*; do fill "${path##*/}"; done
ip -oneline monitor link | while read -r _ name _; do
  name=${name%%[@:]*}
  # Setting it is a change of the link itself.
  ethtool -k "$name" 2>/dev/null | grep -q '^tx-checksumming: on' && fill "$name"
done
