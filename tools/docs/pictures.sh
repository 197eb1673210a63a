#!/usr/bin/env bash
# Draws the pictures of the README and docs/viewer.md anew, from runs with fixed seeds: tools/docs/pictures.sh
# Times in them are those of the machine; everything else is the same on each.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT
cd "$runs" # so that a run's name in the picture is short

compare() { # NAME [flags]
  local name=$1
  shift
  "$root/duet" compare --quiet --record-tokens on --out "$name" "$@" >/dev/null
}
draw() { # PICTURE RUN [flags]
  local picture=$1 run=$2
  shift 2
  "$root/duet" view "$run" --screenshot "$root/docs/images/$picture.png" "$@"
  echo "docs/images/$picture.png"
}

compare four --capacity-factor 1.0 --experts 4 --top-k 2 --steps 120
compare two --capacity-factor 1.0 --steps 60
draw viewer four --step 80 --size 1280x720
draw viewer_dark four --step 80 --size 1280x720 --dark --select expert:1
draw viewer_token two --panel routing --step 3 --size 900x560 --select token:1:70
draw viewer_flow four --panel flow --stage 6 --step 80 --size 1000x620
draw viewer_curves four --panel curves --step 80 --size 1000x560
draw viewer_load four --panel load --step 80 --size 1000x420
draw viewer_traffic four --panel traffic --step 80 --size 1000x420
