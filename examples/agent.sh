#!/bin/sh
# A very small agent for examples/agent.yaml: the prompt on standard input, the answer on
# standard output. It knows how to calculate and nothing else.
prompt=$(cat)
sum=$(printf '%s' "$prompt" | sed -n 's/.*What is \([0-9][0-9 +*-]*\)?.*/\1/p')
if [ -n "$sum" ]; then
  echo "It is $(($sum))."
else
  echo "I can only calculate."
fi
