# ./duet install --shared DIR: one copy of Duet, set up and built, which every user of the machine runs and none writes
# to. DIR/.shared says from the first moment what the folder is; DIR/build/shared.stamp, written last, that it is whole.

run_install() { # install --shared DIR
  local target source=$root
  case ${2:-} in
    --shared) target=${3:-} ;;
    --shared=*) target=${2#*=} ;;
    *) target='' ;;
  esac
  if [[ -z $target || $# -gt 3 || ($# == 3 && $2 != --shared) ]]; then
    fail "./duet install needs to know where" "fix     ./duet install --shared DIR, a folder that all users can read" \
      "see     docs/embedding.md for Duet as a library: cmake --install build/default --prefix DIR"
  fi
  umask 022
  open_target "$target"
  root=$target # from here on, what is set up and built is the copy
  take_lock
  rm -f "$root/build/shared.stamp"
  describe_install "$source" >"$root/.shared"
  warn_of_closed_folders
  if ! run_step "copying Duet to $root" "2 s" "$root/build/copy.log" copy_sources "$source"; then
    show_tail "$root/build/copy.log"
    fail "Duet could not be copied to $root" "fix     look above, then run the same command again"
  fi
  set_up
  build "$preset" student_programs
  if has_viewer; then build "$preset" duet_view; else say "duet: without the viewer: it needs Dear ImGui and GLFW"; fi
  keep_commands
  chmod -R a+rX "$root"
  date >"$root/build/shared.stamp"
  say "duet: installed. Each user, in a folder of their own: $(printf '%q' "$root/duet") lesson"
  warn_of_closed_folders
  exit 0
}

# Makes `target` the absolute path of a folder that may be installed into, or ends.
open_target() { # DIR
  case $preset in
    default | release | cuda) ;;
    *) fail "a shared install has the preset default, release or cuda, not $preset" "fix     unset DUET_PRESET" ;;
  esac
  if ! mkdir -p "$1" 2>/dev/null || [[ ! -w $1 ]]; then
    fail "you may not write in $1" "fix     name a folder that you may make, or: sudo mkdir $1 && sudo chown $(id -un) $1"
  fi
  target=$(cd "$1" && pwd -P)
  case $target in
    *[\"\\\'\`\$]* | *$'\n'*) fail "the folder's name has a character that a compiler or a shell reads otherwise: $target" \
      "fix     name a folder without quotes, backslashes and dollars" ;;
  esac
  case $target/ in
    "$(cd "$root" && pwd -P)"/*) fail "$1 is inside the Duet that is to be copied" "fix     name a folder elsewhere" ;;
  esac
  if [[ ! -e $target/.shared && -n $(ls -A "$target") ]]; then
    fail "$1 is not empty and no earlier shared install" "fix     name a new folder; nothing was changed in this one"
  fi
}

describe_install() { # SOURCE
  local origin
  origin=$(git -C "$1" remote get-url origin 2>/dev/null | sed "s,://[^/@]*@,://,") || true # without a password
  origin=${origin:-$1}
  printf '%s\n' "at $root" "preset $preset" "by $(id -un)" "begun $(date '+%Y-%m-%d %H:%M')" "from $1" "origin $origin"
}

# What the source consists of: what git tracks, and without git all but what is made here.
source_files() { # SOURCE
  if [[ -e $1/.git ]] && git -C "$1" ls-files -z 2>/dev/null | tr '\0' '\n'; then return; fi
  echo "no git here: every file is copied but what Duet makes" >&2
  (cd "$1" && find . \( -path ./build -o -path ./.venv -o -path ./.venv-dev -o -path ./my -o -path ./runs -o -path ./.git \
    -o -path ./.shared -o -name __pycache__ -o -name '*.tmp' \) -prune -o -type f -print | sed 's,^\./,,')
}

# Copies what differs, so that an update builds only that, and removes what an earlier install had and this one has not.
copy_sources() { # SOURCE
  local files=$root/build/shared.files file
  source_files "$1" >"$files.new" || return 1
  [[ -s $files.new ]] || return 1
  while IFS= read -r file; do
    if [[ ! -f $1/$file ]] || cmp -s "$1/$file" "$root/$file"; then continue; fi
    mkdir -p "$root/$(dirname "$file")" && rm -f "$root/$file" && cp "$1/$file" "$root/$file" || return 1
  done <"$files.new"
  if [[ -e $files ]]; then
    grep -vxFf "$files.new" "$files" | while IFS= read -r file; do rm -f "${root:?}/$file"; done || true
  fi
  mv "$files.new" "$files"
}

# How ninja builds what a student replaces: tools/course/shared_build.py does the same in the student's folder.
keep_commands() {
  local folder=$root/build/$preset lesson name targets=(duet_mine)
  for lesson in "$root"/lessons/[0-9][0-9]_*/; do
    [[ -d $lesson ]] || continue
    name=$(basename "$lesson")
    targets+=("lesson_${name#*_}_mine" "lesson_${name#*_}_mine_asan")
  done
  mkdir -p "$folder/shared_commands"
  for name in "${targets[@]}"; do
    with_tools ninja -C "$folder" -t commands "$name" >"$folder/shared_commands/$name.txt" ||
      fail "ninja does not tell how it builds $name" "fix     look whether $folder/build.ninja is there"
  done
}

# A private home above the folder keeps everyone else out, whatever the folder itself allows.
warn_of_closed_folders() {
  local folder path
  for path in "$root" ${DUET_LIBTORCH:+"$(cd "$DUET_LIBTORCH" 2>/dev/null && pwd -P)"}; do
    folder=$path
    while [[ $folder ]]; do
      case $(ls -ld "$folder") in
        ?????????[xt]*) ;;
        *)
          if [[ $folder != "$root" ]]; then # that one is opened at the end
            say "duet: note: only its owner and group get through $folder to $path"
            say "  fix     if students are neither: chmod o+x $folder, or install elsewhere (/opt/duet, /srv/duet)"
          fi ;;
      esac
      folder=${folder%/*}
    done
  done
}
