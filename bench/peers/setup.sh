#!/usr/bin/env bash
# Makes .venv-dev with a torch that Python can import (requirements/dev.txt). A stamp, written last, says it is done.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=/dev/null
source "$root/tools/launcher/say.sh"
venv=$root/.venv-dev log=$root/build/pip-dev.log
wanted=$(printf '%s\n' "$root" && cat "$root/requirements/dev.txt")
[[ $(cat "$venv/duet.stamp" 2>/dev/null) == "$wanted" ]] && exit

make_venv() {
  python3 -m venv --clear "$venv" &&
    "$venv/bin/python" -m pip install --disable-pip-version-check --no-deps -r "$root/requirements/dev.txt"
}

if ! run_step "making .venv-dev with a torch (2 GB to load, 4 GB on disk)" "2 to 5 min" "$log" make_venv; then
  show_tail "$log"
  fail "pip could not install requirements/dev.txt" \
    "fix     connect and run the same command again; what is downloaded stays in pip's cache"
fi
printf '%s\n' "$wanted" >"$venv/duet.stamp.tmp"
mv "$venv/duet.stamp.tmp" "$venv/duet.stamp"
