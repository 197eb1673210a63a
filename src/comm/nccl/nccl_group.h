#pragma once
/// One rank's side of one NCCL communicator: its handle, its stream, and how it waits.
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/nccl/cuda_handles.h"
#include "comm/nccl/watch.h"

namespace duet::comm {

/// What all communicators of one rank share.
struct NcclWorld {
  int rank = 0;
  int size = 1;
  bool one_process = false;  ///< ranks are threads of it
  Deadline deadline{};
  bool checked = false;
  std::function<void*()> compute_stream = {};
  std::shared_ptr<Watch> watch = {};
  std::uint32_t groups_led = 0;
  std::string left = {};  ///< an operation that this rank left while it unwound

  /// A number for a group that this rank leads, unlike any other group's.
  std::uint32_t next_number() const {
    return static_cast<std::uint32_t>(rank) + static_cast<std::uint32_t>(size) * (groups_led + 1);
  }
};

class NcclGroup {
 public:
  static constexpr int most_outstanding = 16;  ///< started operations of a rank, as on the other transports

  /// The group of all ranks. Collective; returns once NCCL has joined them.
  static std::shared_ptr<NcclGroup> of_all(std::shared_ptr<NcclWorld> world, const ncclUniqueId& id);
  /// A part of this group: `members` are ranks here, `color` is one number a part. Collective over this group.
  std::shared_ptr<NcclGroup> part(const Wait& wait, int color, std::span<const int> members, std::uint32_t number);
  ~NcclGroup();
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;

  int size() const { return static_cast<int>(ranks_.size()); }
  int rank() const { return rank_; }
  std::uint32_t number() const { return number_; }
  const std::vector<int>& ranks() const { return ranks_; }  ///< the world's number of each rank here
  int world_rank(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  NcclWorld& world() const { return *world_; }
  ncclComm_t comm() const { return comm_; }
  cudaStream_t stream() const { return stream_.get(); }
  const SharedIntegers& integers() const { return integers_; }
  GroupProgress* progress() const { return progress_.get(); }  ///< null between processes

  /// How many integers one rank gives in `exchange`: room for a row count to and from each rank.
  std::size_t header_size() const { return 16 + 2 * ranks_.size(); }
  /// Every rank's `mine`, in rank order; each has header_size() integers.
  std::vector<std::int64_t> exchange(const Wait& wait, Deadline deadline, std::span<const std::int64_t> mine);

  /// A call that NCCL answered; returns once it has been taken on, so that an event may be recorded behind it.
  void submit(const Wait& wait, Deadline deadline, const char* call, ncclResult_t answer);
  /// Waits until the stream comes to `event`; whether it was there at the first look.
  bool await(const Wait& wait, Deadline deadline, const CudaEvent& event);
  /// Waits until all that lies in the stream is done.
  void drain(const Wait& wait, Deadline deadline);

  /// Runs `act`; what it throws fails the world and aborts this communicator, so that its buffers may go.
  void guard(const Wait& wait, const std::function<void()>& act);
  /// Ends what runs. From then on nothing of this group touches a buffer.
  void abort();

  std::uint64_t sequence = 0;                           ///< of the last collective
  std::vector<std::uint64_t> sent = {}, received = {};  ///< [peer] messages so far
  int outstanding = 0;                                  ///< started operations that were not waited for
  std::shared_ptr<const CudaEvent> anchor = {};         ///< an event of this stream whose host time is known
  std::int64_t anchor_ns = 0;

 private:
  NcclGroup(std::shared_ptr<NcclWorld> world, std::vector<int> ranks, int rank, std::uint32_t number);
  void join(const Wait& wait);
  void poll_until(const Wait& wait, Deadline deadline, const char* call,
                  const std::function<bool(ncclResult_t state)>& done);
  void close();

  const std::shared_ptr<NcclWorld> world_;
  const std::vector<int> ranks_;
  const int rank_;
  const std::uint32_t number_;
  const std::shared_ptr<GroupProgress> progress_;
  const CudaStream stream_;
  const SharedIntegers integers_;
  ncclComm_t comm_ = nullptr;
  bool aborted_ = false;
};

}  // namespace duet::comm
