#pragma once
/// One rank's side of one collective between processes: compares in checked mode, then moves its data.
#include <memory>
#include <optional>

#include "comm/mpi/headers.h"
#include "comm/mpi/moves.h"
#include "comm/mpi/mpi_group.h"
#include "comm/mpi/transfers.h"

namespace duet::comm {

/// Used as: construct, fill `posting`, `start`, `wait`. An operation that is destroyed after `start` and before `wait`
/// came to its end fails the world, for its buffers are gone.
class MpiCollective : public Started, private Pending {
 public:
  MpiCollective(std::shared_ptr<MpiGroup> group, std::uint64_t sequence, trace::Operation operation,
                trace::Recorder* recorder);
  ~MpiCollective() override;
  MpiCollective(const MpiCollective&) = delete;
  MpiCollective& operator=(const MpiCollective&) = delete;

  /// Empty but for the operation, until `start`.
  Posting& posting() { return header_.posting; }
  void set_deadline(Deadline deadline) { deadline_ = deadline; }

  /// @throws InputError when MpiGroup::most_started operations of this rank are still outstanding
  void start();
  void wait() override;
  /// After `wait` of a split: what every rank asked for.
  const std::vector<Header>& headers() const { return headers_; }

 private:
  bool ready() override;
  Waiting waiting() const override;
  std::string name() const;
  /// A barrier and a split are nothing but this comparison; the others have it in checked mode.
  bool compares() const;
  bool moves() const;
  void send_header();
  void compare();
  void record() const;
  Move move();

  const std::shared_ptr<MpiGroup> group_;
  const std::uint64_t sequence_;
  trace::Recorder* const recorder_;
  Deadline deadline_;
  const std::int64_t start_ns_;
  const int exceptions_;  ///< in flight at construction: more of them at destruction means that this rank unwinds
  bool started_ = false;
  bool finished_ = false;
  Header header_;
  std::vector<std::int64_t> numbers_;  ///< [rank][header_size]
  std::vector<Header> headers_;        ///< [rank]
  std::unique_ptr<std::byte[]> aside_;
  Transfers transfers_;
};

}  // namespace duet::comm
