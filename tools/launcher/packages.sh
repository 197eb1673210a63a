# The system's packages: requirements/apt.txt on Debian and Ubuntu, a list to read elsewhere.

listed_packages() { sed 's/#.*//' "$root/requirements/$1" | tr -s '[:space:]' '\n' | sed '/^$/d'; } # LIST

missing_packages() { # LIST
  local package
  for package in $(listed_packages "$1"); do
    dpkg-query -W -f='${db:Status-Abbrev}\n' "$package" 2>/dev/null | grep -q '^ii' || echo "$package"
  done
}

# What only some tests need. Nobody is asked for it: without it those are skipped, and say so.
install_test_packages() {
  if $assume_yes && command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
    install_packages apt-test.txt
  fi
}

install_packages() { # LIST
  [[ ${DUET_SKIP_PACKAGES:-} == 1 ]] && return
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say_what_another_system_needs
    exit 2
  fi
  local missing=() as_root=() package
  for package in $(missing_packages "$1"); do missing+=("$package"); done
  [[ ${#missing[@]} == 0 ]] && return
  say "duet: system packages that are missing: ${missing[*]}"
  may_install "${missing[@]}"
  if [[ $(id -u) != 0 ]]; then
    as_root=(sudo)
    sudo -v # asks for the password now, before the progress line is drawn
  fi
  local log=$root/build/apt.log
  # An old package list is worth a try: the installation itself says what is wrong.
  run_step "updating the package list" "10 s" "$log" ${as_root[@]+"${as_root[@]}"} apt-get update || true
  if ! run_step "installing ${#missing[@]} system packages" "1 min" "$log" ${as_root[@]+"${as_root[@]}"} \
    env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; then
    show_tail "$log"
    fail "apt-get could not install: ${missing[*]}" \
      "fix     look above; without a network, connect and run the same command again: it goes on from here"
  fi
}

# Returns when the packages may be installed; otherwise prints the exact command and ends.
may_install() {
  local command="sudo apt-get install -y --no-install-recommends $*"
  [[ $(id -u) == 0 ]] && command=${command#sudo }
  if [[ $(id -u) != 0 ]] && ! command -v sudo >/dev/null; then
    fail "installing them needs root, and there is no sudo here" \
      "fix     let an administrator run: ${command#sudo }" "        then run ./duet again"
  fi
  $assume_yes && return
  if [[ ! -t 0 || ! -t 2 ]]; then
    fail "not installed, as nobody can be asked here" \
      "fix     run: $command" "        or let ./duet do it: ./duet --yes setup"
  fi
  local answer
  printf 'Install them now with "%s"? [Y/n] ' "$command" >&2
  read -r answer || answer=n
  case $answer in
    '' | [yY]*) ;;
    *) fail "not installed" "fix     run: $command" "        then run ./duet again" ;;
  esac
}

say_what_another_system_needs() {
  local id='' name='this system' like=''
  local os_release=${DUET_OS_RELEASE:-/etc/os-release}
  if [[ -r $os_release ]]; then
    id=$(sed -n 's/^ID=//p' "$os_release" | tr -d '"')
    like=$(sed -n 's/^ID_LIKE=//p' "$os_release" | tr -d '"')
    name=$(sed -n 's/^PRETTY_NAME=//p' "$os_release" | tr -d '"')
  fi
  [[ $(uname -s) == Darwin ]] && id=macos name=macOS
  say "duet: set-up by itself works on Debian and Ubuntu; on $name please install by hand:"
  say "  a C++20 compiler (g++ 12 or newer), Python 3.10 or newer with venv, clang-format 14 or newer,"
  say "  and the headers of fmt, nlohmann-json (3.10 or newer), CLI11 (2.1 or newer), GoogleTest with GoogleMock"
  case " $id $like " in
    *' fedora '* | *' rhel '*)
      say "  fix     sudo dnf install gcc-c++ python3 fmt-devel json-devel cli11-devel gtest-devel gmock-devel clang-tools-extra" ;;
    *' arch '*) say "  fix     sudo pacman -S gcc python fmt nlohmann-json cli11 gtest clang" ;;
    *' macos '*) say "  fix     brew install fmt nlohmann-json cli11 googletest clang-format" ;;
  esac
  say "  then    DUET_SKIP_PACKAGES=1 ./duet compare"
  say "  see     README.md, \"Where it runs\", for what is tested"
}
