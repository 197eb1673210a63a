# CUDA: which calls build the cuda preset, what it needs beside LibTorch, and the test of it on a machine without a GPU.

# The preset of a call that names none: cuda where it asks for a GPU and there is one, and for ./duet test --gpu.
usual_preset() { # [ARGUMENTS of the call]
  local argument before=''
  for argument in "$@"; do
    case "$before $argument" in
      '--device cuda' | '--device auto' | *' --device=cuda' | *' --device=auto' | \
        '--transport nccl' | *' --transport=nccl')
        if has_gpu; then echo cuda; return; fi ;;
      'test --gpu') echo cuda; return ;;
    esac
    before=$argument
  done
  echo default
}

has_gpu() { command -v nvidia-smi >/dev/null && nvidia-smi -L >/dev/null 2>&1; }

# Once the CUDA libraries are there they serve every preset: nothing is loaded twice when presets alternate.
wants_cuda() { [[ $preset == cuda ]] || grep -q '^nvidia-cublas==' "$root/.venv/duet.stamp" 2>/dev/null; }

# Whether the system has an nvcc of the CUDA that the wheels are for. cmake/DuetCuda.cmake looks in the same places.
system_nvcc() {
  local nvcc
  for nvcc in "${CUDACXX:-}" "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" "$(command -v nvcc || true)"; do
    if [[ -n $nvcc && -x $nvcc ]] && "$nvcc" --version 2>/dev/null | grep -q 'release 13\.'; then return; fi
  done
  return 1
}

# The cuda preset where there is no GPU: it compiles, it links the real libraries, and what it has for the CPU works.
# `all`: every test of the default preset that a build with CUDA could alter; `some`: the kernels, NCCL's transport, and
# the program itself.
run_cuda_suite() { # all|some [ctest's arguments]
  local folder=$root/build/cuda status=0 target before=$preset targets=(duet test_moe gpu_tests test_comm_nccl)
  local choice=(-R '^(moe|gpu|gpu_nccl|comm_nccl|cli\.errors|cli\.compare)$')
  if [[ $1 == all ]]; then
    targets=(all)
    choice=(-LE 'slow|check|tools|course|swap|install|display')
  fi
  shift
  preset=cuda
  set_up
  preset=$before
  for target in "${targets[@]}"; do build cuda "$target"; done
  rm -rf "$folder/results" "$folder/ctest.xml"
  mkdir -p "$folder/results"
  drop_lock
  with_tools ctest --test-dir "$folder" --output-on-failure --no-tests=error --parallel "$(jobs)" "${choice[@]}" \
    --output-junit "$folder/ctest.xml" "$@" 8>&- || status=$?
  take_lock
  return "$status"
}

# CI proves the CUDA build with every push. A person's ./duet test does not load 3 GB for it; --all does.
gate_builds_cuda() { # whether the call has arguments of ctest's
  [[ ${CI:-} == true && $preset != cuda && $1 == 0 ]] || return 1
  if [[ -n ${DUET_LIBTORCH:-} && ! -e $DUET_LIBTORCH/lib/libtorch_cuda.so ]]; then
    say "duet: the CUDA build is not tested: DUET_LIBTORCH=$DUET_LIBTORCH has no libtorch_cuda.so"
    return 1
  fi
}
