# Configures a CMake preset and builds a target of it. CMake and Ninja come from .venv where it has them.

with_tools() { # COMMAND... with .venv's CMake, CTest and Ninja before the system's
  if [[ -x $root/.venv/bin/cmake ]]; then PATH=$root/.venv/bin:$PATH "$@"; else "$@"; fi
}

jobs() { # as many as there are cores, and no more than memory allows at 1.5 GB a compiler
  local cores gigabytes
  cores=$(nproc 2>/dev/null || echo 2)
  gigabytes=$(awk '/^MemAvailable/ {print int($2 / 1500000)}' /proc/meminfo 2>/dev/null || echo "$cores")
  [[ ${gigabytes:-0} -lt 1 ]] && gigabytes=1
  echo "${CMAKE_BUILD_PARALLEL_LEVEL:-$((cores < gigabytes ? cores : gigabytes))}"
}

# build PRESET TARGET: says nothing when there is nothing to do.
build() {
  local folder=$root/build/$1 log=$root/build/$1/build.log
  configure "$1"
  if with_tools cmake --build "$folder" --target "$2" -- -n 2>/dev/null | grep -q 'no work to do'; then
    return
  fi
  if ! run_step "building $2 (preset $1)" "3 min from nothing on two cores, seconds after an edit" "$log" \
    with_tools cmake --build "$folder" --target "$2" --parallel "$(jobs)"; then
    show_tail "$log"
    if grep -qi 'killed' "$log"; then
      say "  usually memory ran out; try CMAKE_BUILD_PARALLEL_LEVEL=1 ./duet setup"
    fi
    say "error: the build failed; all of it is in build/$1/build.log"
    exit 2
  fi
}

# Whether CMake found what the viewer needs; after `configure`. [PRESET]
has_viewer() { ! grep -q 'the viewer is left out' "$root/build/${1:-$preset}.configure.log" 2>/dev/null; }

need_viewer() { # PRESET
  if has_viewer "$1"; then return; fi
  fail "the viewer cannot be built here: it needs Dear ImGui, GLFW, OpenGL and libpng" \
    "fix     sudo apt-get install libimgui-dev libglfw3-dev libgl-dev libpng-dev (or your system's packages of them)," \
    "        then rm build/$1/configured.stamp and run it again; the report of a run needs none of them"
}

build_viewer() {
  configure "$preset"
  need_viewer "$preset"
  build "$preset" duet_view
}

configure() {
  local folder=$root/build/$1 log=$root/build/$1.configure.log
  if [[ -f $folder/build.ninja ]] && cmp -s "$root/build/setup.stamp" "$folder/configured.stamp"; then return; fi
  # --fresh: another LibTorch, another CMake or a moved folder must not live on in the cache.
  if ! (cd "$root" && run_step "configuring (preset $1)" "5 s" "$log" \
    with_tools cmake --fresh --preset "$1" -DDUET_LIBTORCH="${DUET_LIBTORCH:-}"); then
    show_tail "$log"
    fail "CMake could not configure preset $1" "fix     look above; all of it is in build/$1.configure.log"
  fi
  cp "$root/build/setup.stamp" "$folder/configured.stamp"
}
