#pragma once
/// One rank's side of one collective over NCCL.
#include <exception>

#include "comm/nccl/agreement.h"

namespace duet::comm {

/// Used as: construct, fill `posting`, `start`, `wait`. An operation that is destroyed after `start` and before `wait`
/// came to its end aborts its communicator, for its buffers are gone; unless the rank unwinds, that is a failure.
class NcclOperation : public Started {
 public:
  /// @throws InputError when NcclGroup::most_outstanding operations of this rank were not waited for
  NcclOperation(std::shared_ptr<NcclGroup> group, trace::Operation operation, trace::Recorder* recorder);
  ~NcclOperation() override;
  NcclOperation(const NcclOperation&) = delete;
  NcclOperation& operator=(const NcclOperation&) = delete;

  Posting& posting() { return posting_; }
  void set_deadline(Deadline deadline) { deadline_ = deadline; }

  void start();
  void wait() override;

 private:
  void run();
  void enqueue();
  void exchange_rows();
  void record(bool was_done);

  const std::shared_ptr<NcclGroup> group_;
  trace::Recorder* const recorder_;
  Posting posting_;
  const std::uint64_t sequence_;
  const CollectiveWait wait_;
  Deadline deadline_;
  const std::int64_t start_ns_;
  const int exceptions_;  ///< in flight at construction: more of them at destruction means that this rank unwinds
  const std::shared_ptr<const CudaEvent> begin_, end_;
  bool started_ = false;
  bool finished_ = false;
};

}  // namespace duet::comm
