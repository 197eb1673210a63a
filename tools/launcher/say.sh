# What the launcher says, and how it shows that something long is under way.

say() { printf '%s\n' "$*" >&2; }

# fail WHAT [LINE...]: an error in the form of all of Duet's: what, then what to do about it.
fail() {
  say "error: $1"
  shift
  local line
  for line in "$@"; do say "  $line"; done
  exit 2
}

# run_step LABEL USUALLY LOG COMMAND...: runs COMMAND with its output in LOG; on a terminal one line, rewritten in
# place, shows the seconds and the last thing it said.
run_step() {
  local label=$1 usually=$2 log=$3 status=0 watcher=''
  shift 3
  say "duet: $label (usually $usually)"
  mkdir -p "$(dirname "$log")"
  : >"$log"
  if [[ -t 2 ]]; then
    follow "$log" 9>&- &
    watcher=$!
  fi
  "$@" >>"$log" 2>&1 </dev/null || status=$?
  if [[ $watcher ]]; then
    kill "$watcher" 2>/dev/null || true
    wait "$watcher" 2>/dev/null || true
    printf '\r\033[K' >&2
  fi
  return "$status"
}

follow() {
  local start=$SECONDS width line
  width=$(tput cols 2>/dev/null || echo 80)
  while kill -0 $$ 2>/dev/null; do # ends with the launcher, however that ends
    line=$(tail -c 500 "$1" | tr '\r' '\n' | grep -v '^ *$' | tail -n 1) || true
    printf '\r\033[K  %4ds  %.*s' $((SECONDS - start)) $((width - 10)) "$line" >&2
    sleep 0.5
  done
}

# show_tail LOG: the end of a log after something failed; of a build's, what follows the first failure.
show_tail() {
  local text
  text=$(sed -n '/^FAILED: \|^CMake Error/,$p' "$1" | sed '/^\(: && \)\?\/[^ ]*c++ /d' | sed -n '1,40p')
  [[ $text ]] || text=$(tail -n 30 "$1")
  say "  ---- from ${1#"$root"/}"
  cut -c1-300 <<<"$text" | sed 's/^/  | /' >&2
  if grep -q 'No space left on device' "$1"; then
    say "  fix     the disk is full: free some space (about 3 GB are needed here) and run the same command again"
  fi
}

# One ./duet at a time sets up or builds in a folder; the others wait, and then find the work done.
take_lock() {
  mkdir -p "$root/build"
  command -v flock >/dev/null || return 0
  exec 9>"$root/build/.lock"
  if ! flock -n 9; then
    say "duet: another ./duet sets up or builds in this folder; waiting for it"
    flock 9
  fi
}

drop_lock() { exec 9>&-; }

unknown_verb() { # VERB
  local known near=''
  for known in compare train trace lesson check watch predict hint explain solution reset see verify test bench setup \
    install doctor ranks; do
    if [[ $(sorted_letters "$1") == "$(sorted_letters "$known")" || $known == "$1"* || $1 == "$known"* ]]; then
      near=$known
    fi
  done
  fail "there is no verb '$1'" "fix     ${near:+did you mean $near? }./duet --help lists them"
}

sorted_letters() { grep -o . <<<"$1" | sort | tr -d '\n'; }
