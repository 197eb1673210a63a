#pragma once
/// One run at a time on a GPU that several people share. The others stand in a queue, and are told for whom they wait.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace duet {

/// A GPU as people count it, and as the driver knows it.
struct GpuName {
  int index = 0;        ///< "GPU 0" in messages
  std::string id = {};  ///< its UUID; the index means another GPU under another CUDA_VISIBLE_DEVICES. Empty: the index
};

/// Where all users of the machine find the locks: $DUET_GPU_LOCKS, otherwise /tmp.
std::filesystem::path gpu_lock_folder();

struct GpuLockOptions {
  std::filesystem::path folder = gpu_lock_folder();
  std::string command = "./duet";                    ///< what the holder runs, for those who wait
  std::optional<std::chrono::milliseconds> longest;  ///< how long to wait; for ever where it is not given
  const std::atomic<bool>* stop = nullptr;           ///< ends the wait when it becomes true
  std::chrono::milliseconds poll{200};
  std::chrono::milliseconds remind{60'000};           ///< from one message to the next
  std::function<void(const std::string&)> tell = {};  ///< gets each message, a line; stderr where it is empty
};

/// Holds a GPU from the constructor, which waits, to the destructor. The system frees it when the process ends in any
/// other way: it is flock's lock on FOLDER/duet-gpu-ID.lock, which every user may open and which says who holds it.
///
/// Two objects for one GPU exclude each other within a process too. A run takes all its GPUs once, by `lock_gpus`, and
/// in one of its processes: the first on the machine.
class GpuLock {
 public:
  /// @throws RankError when `longest` is over or `stop` was set; its text names the holder
  /// @throws InputError when the file cannot be opened
  explicit GpuLock(const GpuName& gpu, const GpuLockOptions& options = {});
  ~GpuLock();
  GpuLock(GpuLock&& other) noexcept;
  GpuLock& operator=(GpuLock&&) = delete;

 private:
  int file_ = -1;
};

/// Locks several, each once, in the order of their ids: two runs that want the same ones cannot wait for each other.
std::vector<GpuLock> lock_gpus(std::vector<GpuName> gpus, const GpuLockOptions& options = {});

}  // namespace duet
