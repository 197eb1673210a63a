# The course's verbs. Those that only read need no set-up: ./duet lesson works right after the clone.

is_course() { # VERB [arguments]
  case $1 in
    lesson | check | watch | hint | predict | solution | reset | explain | see | verify) ;;
    compare | train) is_mine "$@" ;;
    *) return 1 ;;
  esac
}

run_course() { # VERB [arguments]
  case $1 in
    lesson | hint | explain | solution | reset) ;;
    *)
      take_lock
      set_up
      build "$preset" duet_judge
      if [[ $1 == see && -n ${DISPLAY:-}${WAYLAND_DISPLAY:-} ]] && has_viewer; then build "$preset" duet_view; fi
      drop_lock ;; # python takes it again for each of its builds
  esac
  unset DUET_OWN # only with a shared install
  export DUET_BUILD=$root/build/$preset
  if [[ -x $root/.venv/bin/cmake ]]; then export PATH=$root/.venv/bin:$PATH; fi
  exec python3 "$root/tools/course" "$@"
}

is_mine() { # whether --mine is among the arguments
  local argument
  for argument in "$@"; do [[ $argument == --mine ]] && return; done
  return 1
}
