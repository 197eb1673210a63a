#include "core/gpu_lock.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sstream>
#include <thread>
#include <utility>

#include "core/error.h"
#include "core/file_error.h"

namespace duet {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

namespace {

constexpr std::size_t longest_text = 300;  // bytes of a lock file that are read

// Anyone may write the file, so nothing in it reaches a terminal that is no plain character.
std::string plain(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < 0x20 || c >= 0x7f; }, '?');
  return text;
}

std::string file_name(const GpuName& gpu) {
  std::string id = gpu.id.empty() ? fmt::to_string(gpu.index) : gpu.id;
  std::ranges::replace_if(
      id, [](unsigned char c) { return std::isalnum(c) == 0 && c != '-'; }, '-');
  return "duet-gpu-" + id + ".lock";
}

// An existing file is opened without O_CREAT: in a folder like /tmp, Linux refuses that to all but the file's owner
// (fs.protected_regular). A link is not followed, so that nobody can make this write elsewhere.
int open_lock(const fs::path& path) {
  constexpr int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
  for (int tries = 0; tries < 10; ++tries) {
    int file = ::open(path.c_str(), flags);
    if (file < 0 && errno == ENOENT) {
      file = ::open(path.c_str(), flags | O_CREAT | O_EXCL, 0666);
      if (file >= 0) ::fchmod(file, 0666);  // the umask takes away what the others need
    }
    if (file >= 0) return file;
    if (errno != EEXIST && errno != EINTR) break;  // EEXIST: another process made it in between
  }
  throw file_error("cannot open the lock of a GPU", path, errno);
}

// The file's text, line by line: since (seconds of the epoch), pid, user, command.
void write_holder(int file, const std::string& command) {
  const passwd* user = ::getpwuid(::getuid());  // NOLINT(concurrency-mt-unsafe): called before ranks start
  const std::string name = user != nullptr ? user->pw_name : fmt::format("user {}", ::getuid());
  const auto text = fmt::format("{}\n{}\n{}\n{}\n", std::time(nullptr), ::getpid(), name, command);
  // A full /tmp only costs the others the holder's name.
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, text.data(), text.size(), 0) < 0) return;
}

struct Holder {
  std::time_t since = 0;
  std::string pid = {}, user = {}, command = {};
};

std::optional<Holder> read_holder(int file) {
  std::array<char, longest_text> text{};
  const auto size = ::pread(file, text.data(), text.size(), 0);
  std::istringstream lines(std::string(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0));
  Holder holder;
  std::string since;
  if (!std::getline(lines, since) || !std::getline(lines, holder.pid) || !std::getline(lines, holder.user)) return {};
  std::getline(lines, holder.command);
  char* end = nullptr;
  holder.since = static_cast<std::time_t>(std::strtoll(since.c_str(), &end, 10));
  if (since.empty() || *end != '\0' || holder.since <= 0) return {};
  return holder;
}

std::string ago(std::time_t seconds) {
  if (seconds < 60) return fmt::format("{} s ago", std::max<std::time_t>(seconds, 0));
  if (seconds < 3600) return fmt::format("{} min ago", seconds / 60);
  return fmt::format("{} h {} min ago", seconds / 3600, seconds / 60 % 60);
}

// "GPU 0 is used by ada (pid 123, ./duet compare) since 10:42, 3 min ago"
std::string who_holds(const GpuName& gpu, int file) {
  const auto holder = read_holder(file);
  if (!holder) return fmt::format("GPU {} is used by another run", gpu.index);
  std::tm local{};
  const auto now = std::time(nullptr);
  if (::localtime_r(&holder->since, &local) == nullptr) return fmt::format("GPU {} is used by another run", gpu.index);
  const auto since =
      now - holder->since < 20 * 3600 ? fmt::format("{:%H:%M}", local) : fmt::format("{:%F %H:%M}", local);
  return fmt::format("GPU {} is used by {} (pid {}, {}) since {}, {}", gpu.index, plain(holder->user),
                     plain(holder->pid), plain(holder->command), since, ago(now - holder->since));
}

void say(const GpuLockOptions& options, const std::string& line) {
  if (options.tell)
    options.tell(line);
  else
    fmt::print(stderr, "{}\n", line);
}

[[noreturn]] void give_up(const GpuName& gpu, int file, const char* why) {
  const auto holder = who_holds(gpu, file);
  ::close(file);
  throw RankError({.what = holder,
                   .where = why,
                   .usually = "another run on this machine has the GPU; one run at a time uses it",
                   .fix = "wait for it, choose another GPU with CUDA_VISIBLE_DEVICES, or run with --device cpu"});
}

void wait_for_turn(const GpuName& gpu, int file, const GpuLockOptions& options) {
  const auto start = steady_clock::now();
  auto next_message = start + options.poll;  // by then a holder that just began has written its name
  while (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      const int number = errno;
      ::close(file);
      throw file_error("cannot lock a GPU", options.folder / file_name(gpu), number);
    }
    const auto now = steady_clock::now();
    if (options.stop != nullptr && options.stop->load()) give_up(gpu, file, "the wait for it was ended");
    if (options.longest && now - start >= *options.longest) give_up(gpu, file, "waited for it as long as was allowed");
    if (now >= next_message) {
      say(options, who_holds(gpu, file) + "; waiting. Ctrl-C gives up");
      next_message = now + options.remind;
    }
    std::this_thread::sleep_for(options.poll);
  }
}

// Whoever cleans /tmp may take the file away while it is waited for: then the next run locks another one.
bool is_removed(int file) {
  struct stat status {};
  return ::fstat(file, &status) == 0 && status.st_nlink == 0;
}

}  // namespace

fs::path gpu_lock_folder() {
  const char* named = std::getenv("DUET_GPU_LOCKS");  // NOLINT(concurrency-mt-unsafe): nobody sets it meanwhile
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

GpuLock::GpuLock(const GpuName& gpu, const GpuLockOptions& options) {
  while (true) {
    file_ = open_lock(options.folder / file_name(gpu));
    wait_for_turn(gpu, file_, options);
    if (!is_removed(file_)) break;
    ::close(file_);
  }
  write_holder(file_, options.command);
}

GpuLock::~GpuLock() {
  if (file_ < 0) return;
  if (::ftruncate(file_, 0) != 0) {
  }  // the name that is left is no holder's: only who waits reads it
  ::close(file_);
}

GpuLock::GpuLock(GpuLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

std::vector<GpuLock> lock_gpus(std::vector<GpuName> gpus, const GpuLockOptions& options) {
  std::ranges::sort(gpus, {}, file_name);
  const auto same = std::ranges::unique(gpus, {}, file_name);
  gpus.erase(same.begin(), same.end());
  std::vector<GpuLock> locks;
  locks.reserve(gpus.size());
  for (const auto& gpu : gpus) locks.emplace_back(gpu, options);
  return locks;
}

}  // namespace duet
