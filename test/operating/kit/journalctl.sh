#!/bin/sh
# Prints the log of the service in a machine without a journal, and refuses all other questions.
set -eu
[ "$*" = '--unit wolke --output cat' ]
exec cat /run/wolke.log
