# ./duet test [--all] [ctest's arguments]
# ./duet test --gpu: those that need a GPU, in the cuda preset (tools/launcher/cuda.sh).
# ./duet test --accept-pictures: the viewer's pictures of today become those that its tests compare with.

run_tests() {
  local all=false arguments=() argument target=all
  for argument in "$@"; do
    case $argument in
      --all) all=true ;;
      --gpu)
        target=gpu_tests
        arguments+=(-L '^gpu$') ;;
      --accept-pictures)
        export DUET_ACCEPT_PICTURES=1
        arguments+=(-R '^viz$') ;;
      *) arguments+=("$argument") ;;
    esac
  done
  local folders=("$root/build/$preset") failed=false
  take_turn_to_test
  install_test_packages
  if $all; then
    run_suite "$preset" ${arguments[@]+"${arguments[@]}"} || failed=true
    for sanitizer in asan tsan; do
      run_suite "$sanitizer" -LE 'slow' ${arguments[@]+"${arguments[@]}"} || failed=true
      folders+=("$root/build/$sanitizer")
    done
    run_cuda_suite all || failed=true
    folders+=("$root/build/cuda")
  else
    run_suite "$preset" -LE slow ${arguments[@]+"${arguments[@]}"} || failed=true
    if gate_builds_cuda ${#arguments[@]}; then
      run_cuda_suite some || failed=true
      folders+=("$root/build/cuda")
    fi
  fi
  python3 "$root/tools/launcher/summary.py" "${folders[@]}" || failed=true
  if $all; then build release bench_all; fi # the optimiser's warnings, and programs that no other preset builds
  if $failed; then return 1; fi
}

# One ./duet test at a time; apart from the lock for builds, which the tests of the course take for theirs.
take_turn_to_test() {
  command -v flock >/dev/null || return 0
  exec 8>"$root/build/.lock.test"
  if ! flock -n 8; then
    say "duet: another ./duet test runs in this folder; waiting for it"
    drop_lock
    flock 8
    take_lock
  fi
}

run_suite() { # PRESET [ctest's arguments]
  local folder=$root/build/$1
  build "$1" "$target"
  shift
  rm -rf "$folder/results" "$folder/ctest.xml"
  mkdir -p "$folder/results"
  local status=0
  drop_lock
  with_tools ctest --test-dir "$folder" --output-on-failure --no-tests=error --parallel "$(jobs)" \
    --output-junit "$folder/ctest.xml" "$@" 8>&- || status=$?
  take_lock
  return "$status"
}
