# The Python wheels: LibTorch (its headers and libraries; no Python of ours imports it), and CMake and Ninja where the
# system has none that is new enough. They live in .venv; a stamp, written last, says that all of them are there.

set_up() {
  local facts
  facts=$(setup_facts)
  if [[ $(cat "$root/build/setup.stamp" 2>/dev/null) == "$facts" && (-z $(wanted_wheels) || -x $root/.venv/bin/python) ]]; then
    return
  fi
  if [[ -n ${DUET_LIBTORCH:-} && ! -d $DUET_LIBTORCH ]]; then
    fail "DUET_LIBTORCH=$DUET_LIBTORCH is no folder" "fix     point it at an unpacked LibTorch, or unset it"
  fi
  install_packages apt.txt
  install_wheels
  setup_facts >"$root/build/setup.stamp.tmp" # again: the packages may have brought a CMake
  mv "$root/build/setup.stamp.tmp" "$root/build/setup.stamp"
}

# Everything that the set-up depends on, as text. The folder is in it because a moved .venv does not work.
setup_facts() {
  printf '%s\n' "$root" "libtorch ${DUET_LIBTORCH:-from the wheel}"
  listed_packages apt.txt
  wanted_wheels
}

wanted_wheels() {
  local lists=()
  if [[ -z ${DUET_LIBTORCH:-} ]]; then
    if wants_cuda; then lists+=(cuda.txt); else lists+=(cpu.txt); fi
    if wants_cuda && ! system_nvcc; then lists+=(nvcc.txt); fi
  fi
  system_builds || lists+=(build.txt)
  local list
  for list in ${lists[@]+"${lists[@]}"}; do sed 's/#.*//; s/ *$//; /^$/d' "$root/requirements/$list"; done
}

# Whether .venv holds nothing but what is wanted, so that the rest can be added to it.
only_adds() { # VENV
  [[ $(head -n 1 "$1/duet.stamp" 2>/dev/null) == "$root" ]] && ! grep -vxFf <(wanted_wheels) <(tail -n +2 "$1/duet.stamp") >/dev/null
}

# Whether the system's own CMake (3.24 or newer) and Ninja will do.
system_builds() {
  local version
  command -v ninja >/dev/null || return 1
  version=$(cmake --version 2>/dev/null | sed -n '1s/[^0-9]*\([0-9]*\.[0-9]*\).*/\1/p') || return 1
  [[ -n $version && $(printf '3.24\n%s\n' "$version" | sort -V | head -n 1) == 3.24 ]]
}

install_wheels() {
  local wanted venv=$root/.venv
  wanted=$(printf '%s\n' "$root"; wanted_wheels)
  [[ $wanted == "$root" || $(cat "$venv/duet.stamp" 2>/dev/null) == "$wanted" ]] && return
  if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    fail "Python 3.10 or newer is needed for the LibTorch wheel; here is $(python3 --version 2>&1 || echo none)" \
      "fix     put a newer python3 first in PATH, or set DUET_LIBTORCH to a LibTorch that you have"
  fi
  local log=$root/build/pip.log size='0.5 GB to load, 1.3 GB on disk'
  if wants_cuda; then size='3 GB to load, 4.5 GB on disk'; fi
  if ! only_adds "$venv" && ! run_step "making .venv" "10 s" "$log" python3 -m venv --clear "$venv"; then
    show_tail "$log"
    fail "python3 -m venv did not work" "fix     sudo apt-get install python3-venv, then run ./duet again"
  fi
  wanted_wheels >"$venv/wheels.txt"
  # --no-deps: the lists name all that is needed, and a wheel's own list is 3 GB of CUDA that nothing here loads.
  if ! run_step "downloading and unpacking LibTorch ($size)" "1 to 4 min" "$log" \
    "$venv/bin/python" -m pip install --disable-pip-version-check --no-deps -r "$venv/wheels.txt"; then
    show_tail "$log"
    fail "pip could not install the wheels" \
      "fix     without a network: connect and run the same command again; what is downloaded stays in pip's cache" \
      "        behind a proxy: set HTTPS_PROXY (and PIP_CERT for its certificate); with a mirror: PIP_INDEX_URL" \
      "        with a LibTorch of your own: DUET_LIBTORCH=/path/to/libtorch ./duet compare"
  fi
  printf '%s\n' "$wanted" >"$venv/duet.stamp.tmp"
  mv "$venv/duet.stamp.tmp" "$venv/duet.stamp"
}
