# ./duet bench step|exchange|record|peers [flags]: builds the fully optimised preset and runs one benchmark.

run_bench() {
  local name=${1:-} program release=${DUET_PRESET:-release}
  case $name in
    step | exchange | record) program=bench_$name ;;
    peers) program=bench_step ;;
    *) fail "no benchmark is called '$name'" "fix     ./duet bench step, exchange, record or peers" ;;
  esac
  shift
  [[ $name == peers ]] && "$root/bench/peers/setup.sh"
  build "$release" "$program"
  drop_lock
  program=$root/build/$release/bench/$program
  if [[ $name == peers ]]; then
    exec "$root/.venv-dev/bin/python" "$root/bench/peers/run.py" "$program" "$@"
  fi
  exec "$program" "$@"
}
