#!/usr/bin/env bash
# Line coverage of src/: builds with --coverage in build/coverage, runs the default tests, prints a table and the total.
#   tools/coverage.sh [ctest's arguments]      e.g. tools/coverage.sh -R '^(moe|comm)$'
# The page with every line is build/coverage/html/index.html.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/coverage
PATH=$root/.venv/bin:$PATH
cd "$root"

if [[ ! -x $build/venv/bin/gcovr ]]; then
  python3 -m venv "$build/venv"
  "$build/venv/bin/pip" install --quiet 'gcovr==7.2'
fi

cmake --preset coverage -DDUET_ONLY_LESSONS=none >/dev/null
# The course judges src/ too, but through programs of its own: left out, as it takes longer than all the rest.
cmake --build "$build" --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}"
find "$build" -name '*.gcda' -delete # only what the tests below run
# Not the tests that build or check sources: they run no more of src/.
failed=false
ctest --test-dir "$build" --output-on-failure -LE 'slow|check|tools|swap|install|course' "$@" || failed=true
mkdir -p "$build/html"
"$build/venv/bin/gcovr" --root "$root" --filter "$root/src/" "$build/src" \
  --gcov-ignore-parse-errors=negative_hits.warn --exclude-throw-branches \
  --html-details "$build/html/index.html" --txt - --print-summary
[[ $failed == false ]] || { echo "coverage: tests failed; the figure is of what ran" >&2; exit 1; }
