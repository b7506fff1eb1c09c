#!/bin/sh
# Copies all data of a server into a new folder, while it runs: a consistent copy of each database,
# the master key, the settings. Usage: backup.sh FOLDER. Needs Debian's `sqlite3`.
set -eu
umask 077
home=${VIBECHECK_HOME:-$HOME/.vibecheck}
to=$(realpath -m "$1")
mkdir "$to" # fails if it already exists
cd "$home"
for file in vibecheck.db server.db organisations/*/vibecheck.db; do
  test -e "$file" || continue
  mkdir -p "$to/$(dirname "$file")"
  sqlite3 -cmd '.timeout 60000' "$file" ".backup '$to/$file'"
  test "$(sqlite3 "$to/$file" 'PRAGMA integrity_check')" = ok
done
for file in secret.key config.yaml .env; do
  test ! -e "$file" || cp -p "$file" "$to/"
done
