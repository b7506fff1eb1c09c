#!/bin/sh
# An agent for examples/agent-fitness.yaml that logs its tool calls: one JSON line each, in the
# file that VIBECHECK_TRACE names.
set -f
prompt=$(cat)

call() { # runs a command and logs it; its output is the result
  said=$("$@" 2>/dev/null)
  printf '{"session":"calculator","tool":"%s","exit":%d}\n' "$1" "$?" >>"$VIBECHECK_TRACE"
}

sum=$(printf '%s' "$prompt" | sed -n 's/.*What is \([0-9][0-9 +*-]*\)?.*/\1/p')
if [ -n "$sum" ]; then
  call expr $sum
  echo "It is $said."
else
  # Not the best plan: it has no books.
  call cat books/shakespeare.txt
  call cat books/shakespeare.txt
  echo "I can only calculate."
fi
