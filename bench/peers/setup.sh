#!/usr/bin/env bash
# Makes .venv-dev with a torch that Python can import (requirements/dev.txt). A stamp, written last, says it is done.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
venv=$root/.venv-dev
wanted=$(printf '%s\n' "$root" && cat "$root/requirements/dev.txt")
[[ $(cat "$venv/duet.stamp" 2>/dev/null) == "$wanted" ]] && exit
echo "duet: making .venv-dev with a torch for Python (2 GB to load, 4 GB on disk; usually 2 to 5 min)" >&2
python3 -m venv --clear "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps -r "$root/requirements/dev.txt" >&2
printf '%s\n' "$wanted" >"$venv/duet.stamp.tmp"
mv "$venv/duet.stamp.tmp" "$venv/duet.stamp"
