#pragma once
/// One rank's side of one collective: lays down a posting, waits for the others, moves its data.
#include "comm/threads/group.h"

namespace duet::comm {

/// Used as: construct, fill `posting`, `post`, `wait`. An operation that is destroyed after `post` and before `wait`
/// came to its end fails the world, for its buffers are gone.
class Collective : public Started {
 public:
  /// Claims the operation's slot.
  /// @throws InputError when Group::slot_count operations of this rank are still outstanding
  Collective(std::shared_ptr<Group> group, int rank, std::uint64_t sequence, trace::Operation operation,
             trace::Recorder* recorder);
  ~Collective() override;
  Collective(const Collective&) = delete;
  Collective& operator=(const Collective&) = delete;

  /// Empty but for the operation, until `post`.
  Posting& posting() { return slot_.posting(rank_); }
  void set_deadline(Deadline deadline) { deadline_ = deadline; }

  void post();
  void wait() override;
  /// After `wait` of a split: this rank's new group, and its rank there.
  std::shared_ptr<Group> new_group() const { return new_group_; }
  int new_rank() const { return new_rank_; }

 private:
  void await_all(Stage stage);
  void reach(Stage stage);
  void check();
  void move();
  void enter_new_group();
  template <typename Read>
  void read_peers(Read read);
  void record() const;

  const std::shared_ptr<Group> group_;
  const int rank_;
  const std::uint64_t sequence_;
  Slot& slot_;
  trace::Recorder* const recorder_;
  Deadline deadline_;
  const std::int64_t start_ns_;
  const int exceptions_;  ///< in flight at construction: more of them at destruction means that this rank unwinds
  bool posted_ = false;
  bool finished_ = false;  ///< no peer reads this rank's buffers any more
  std::shared_ptr<Group> new_group_;
  int new_rank_ = 0;
};

}  // namespace duet::comm
