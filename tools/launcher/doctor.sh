# ./duet doctor: what this machine has and lacks. It works right after the clone: it needs Python and nothing of Duet's,
# and it takes no lock, installs nothing and builds nothing (tools/doctor).

run_doctor() { # doctor [arguments]
  shift
  command -v python3 >/dev/null ||
    fail "./duet doctor needs python3, and there is none here" "fix     sudo apt-get install -y python3"
  export PYTHONDONTWRITEBYTECODE=1 # in a shared install nothing is written either
  exec python3 "$root/tools/doctor" "$@"
}
