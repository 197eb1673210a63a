# A shared install: DIR/duet, run by anyone in a folder of their own. It sets nothing up, takes no lock and writes
# nothing in DIR (tools/launcher/install.sh made it).

is_shared() { [[ -e $root/.shared ]]; }

shared_fact() { sed -n "s/^$1 //p" "$root/.shared"; } # NAME: what install.sh wrote about it

run_shared() { # VERB [arguments]
  root=$(cd "$root" && pwd -P) # as the build knows it
  need_whole_install
  local wanted=${DUET_PRESET:-}
  preset=$(shared_fact preset)
  if [[ $wanted && $wanted != "$preset" ]]; then
    fail "this shared install has the preset $preset, and DUET_PRESET asks for $wanted" "fix     unset DUET_PRESET"
  fi
  local folder=$root/build/$preset
  case $1 in
    test | verify | bench | setup | install) needs_a_clone "$1" ;;
    view)
      [[ -x $folder/duet_view ]] || fail "this shared install has no viewer: Dear ImGui or GLFW was missing" \
        "fix     open the report of a run, runs/<name>/report.html; or ask $(shared_fact by) to install again with them"
      shift
      exec "$folder/duet_view" "$@" ;;
    compare | train) find_own_folder ;;
  esac
  if ! is_course "$@"; then exec "$folder/duet" "$@"; fi
  find_own_folder
  export DUET_BUILD=$folder DUET_MY=${DUET_MY:-$own/my} DUET_OWN=${DUET_OWN:-$own/.duet}
  mkdir -p "$DUET_OWN"
  export PYTHONDONTWRITEBYTECODE=1 # whoever may write in DIR, an instructor or root, leaves nothing there either
  exec python3 "$root/tools/course" "$@"
}

need_whole_install() {
  if [[ $(shared_fact at) != "$root" ]]; then
    fail "this shared install was moved: it was made in $(shared_fact at) and works only there" \
      "fix     move it back, or let $(shared_fact by) run: cd $(shared_fact from) && ./duet install --shared $root"
  fi
  [[ -e $root/build/shared.stamp ]] && return
  fail "the shared install in $root is not finished" \
    "usually $(shared_fact by) is installing it right now (begun $(shared_fact begun)), or it was cut off" \
    "fix     wait and try again; if it stays so, let them run: cd $(shared_fact from) && ./duet install --shared $root"
}

needs_a_clone() { # VERB
  fail "./duet $1 needs a copy of Duet of your own; this one, in $root, is shared and stays as it is" \
    "fix     git clone $(shared_fact origin) duet && cd duet && ./duet $1"
}

# Where the student works: the nearest folder, from here upwards, that has a .duet of theirs, otherwise this one.
find_own_folder() {
  local here
  here=$(pwd -P)
  case $here/ in
    "$root"/*)
      fail "this is the shared install, in which nobody works" \
        "fix     mkdir -p ~/duet && cd ~/duet && $(printf '%q' "$root/duet") ${verb}" ;;
  esac
  own=$here
  while [[ $own && ! (-d $own/.duet && -O $own/.duet) ]]; do own=${own%/*}; done
  own=${own:-$here}
  local part
  for part in "$own" "$own/my" "$own/.duet"; do
    if [[ -e $part && ! -w $part ]]; then
      fail "you may not write in $part" "fix     run it in a folder of your own: mkdir -p ~/duet && cd ~/duet"
    fi
  done
  if [[ -e $own/my && ! -O $own/my ]]; then
    fail "$own/my belongs to somebody else" "fix     run it in a folder of your own: mkdir -p ~/duet && cd ~/duet"
  fi
  leave_a_way
}

# Every text says ./duet: so that is what leads to the shared one from the student's folder.
leave_a_way() {
  [[ -e $own/duet || -L $own/duet ]] && return
  printf '#!/usr/bin/env bash\nexec %q "$@"\n' "$root/duet" >"$own/duet"
  chmod +x "$own/duet"
  say "duet: ./duet in $own now leads to $root/duet"
}
