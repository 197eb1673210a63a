# ./duet bench step|exchange|record|view|peers [flags]: builds the fully optimised preset and runs one benchmark.
# ./duet bench lesson: the time from a save to the verdict, in the preset that a student uses.

run_bench() {
  local name=${1:-} program release=${DUET_PRESET:-release}
  if [[ $preset == cuda ]]; then release=cuda; fi # --transport nccl
  if [[ $name == lesson ]]; then
    shift
    build "$preset" duet_judge
    drop_lock
    export DUET_BUILD=$root/build/$preset
    if [[ -x $root/.venv/bin/cmake ]]; then export PATH=$root/.venv/bin:$PATH; fi
    exec python3 "$root/tools/course/bench.py" "$@"
  fi
  case $name in
    step | exchange | record | view) program=bench_$name ;;
    peers) program=bench_step ;;
    *) fail "no benchmark is called '$name'" "fix     ./duet bench step, exchange, record, view, peers or lesson" ;;
  esac
  shift
  if [[ $name == view ]]; then
    configure "$release"
    need_viewer "$release"
  fi
  [[ $name == peers ]] && "$root/bench/peers/setup.sh"
  build "$release" "$program"
  drop_lock
  program=$root/build/$release/bench/$program
  if [[ $name == peers ]]; then
    exec "$root/.venv-dev/bin/python" "$root/bench/peers/run.py" "$program" "$@"
  fi
  exec "$program" "$@"
}
