#pragma once
/// How ranks talk. The one seam between the algorithms and the transports (threads, later MPI and NCCL).
///
/// This core moves bytes and includes no torch header, so that ThreadSanitizer sees all of it; comm/tensors.h has the
/// overloads for tensors. Every operation is collective over the communicator's ranks (send and receive: over the
/// pair). Every wait has a deadline. A disagreement, a failed rank or a missed deadline throws RankError on every
/// waiting rank, naming the ranks, the operation and its number.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "comm/algorithms.h"
#include "trace/recorder.h"

namespace duet::comm {

enum class DType : std::uint8_t { u8, i64, f32, f64 };
std::size_t size_of(DType dtype);
const char* name(DType dtype);

/// Rows of one type and width in memory that the transport can read. A row is what is never cut in two.
struct ConstRows {
  std::span<const std::byte> bytes;
  DType dtype = DType::f32;
  std::int64_t row_elements = 1;
  std::int64_t row_bytes() const { return row_elements * static_cast<std::int64_t>(size_of(dtype)); }
  std::int64_t rows() const { return row_bytes() == 0 ? 0 : static_cast<std::int64_t>(bytes.size()) / row_bytes(); }
};

/// The same, writable.
struct Rows {
  std::span<std::byte> bytes;
  DType dtype = DType::f32;
  std::int64_t row_elements = 1;
  operator ConstRows() const { return {bytes, dtype, row_elements}; }
  std::int64_t row_bytes() const { return row_elements * static_cast<std::int64_t>(size_of(dtype)); }
  std::int64_t rows() const { return row_bytes() == 0 ? 0 : static_cast<std::int64_t>(bytes.size()) / row_bytes(); }
};

using Deadline = std::chrono::milliseconds;

/// An operation that was started; its buffers must stay alive and untouched until `wait` returns.
class Started {
 public:
  virtual ~Started() = default;
  virtual void wait() = 0;
};

class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual std::string_view transport() const = 0;
  /// Whether all ranks are threads of this process; false: each is a process of its own.
  virtual bool shares_memory() const = 0;

  /// Blocks until rank `to` has received: synchronous on every transport, so that a deadlock shows everywhere.
  virtual void send(ConstRows rows, int to) = 0;
  virtual void receive(Rows rows, int from) = 0;

  /// Sends `send_rows[r]` rows to rank r, in order, and receives `receive_rows[s]` from rank s, in order.
  /// Zero rows to or from a rank is ordinary; own rows are copied and do not count as bytes sent.
  virtual void all_to_all(ConstRows send, std::span<const std::int64_t> send_rows, Rows receive,
                          std::span<const std::int64_t> receive_rows) = 0;
  virtual std::unique_ptr<Started> start_all_to_all(ConstRows send, std::span<const std::int64_t> send_rows,
                                                    Rows receive, std::span<const std::int64_t> receive_rows) = 0;

  /// Sums over ranks, in rank order, in place; the same bits on every rank.
  virtual void all_reduce(Rows inout) = 0;
  virtual std::unique_ptr<Started> start_all_reduce(Rows inout) = 0;
  /// `all` holds size() equal parts, in rank order.
  virtual void all_gather(ConstRows mine, Rows all) = 0;
  /// Sums `all` (size() equal parts) over ranks and leaves part rank() in `mine`.
  virtual void reduce_scatter(ConstRows all, Rows mine) = 0;
  virtual void broadcast(Rows inout, int root) = 0;
  /// `deadline` replaces the communicator's own for this one wait; zero means no deadline.
  virtual void barrier(std::optional<Deadline> deadline = std::nullopt) = 0;

  /// A communicator of the ranks that gave the same `color`, ordered by `key`, then by rank here. Collective.
  virtual std::unique_ptr<Communicator> split(int color, int key) = 0;

  /// Where communication events go; null (the default) records nothing. Not inherited by split.
  void set_recorder(trace::Recorder* recorder) { recorder_ = recorder; }
  trace::Recorder* recorder() const { return recorder_; }

  /// What the tensor overloads use (comm/tensors.h). Inherited by split.
  void set_algorithms(Algorithms algorithms) { algorithms_ = algorithms; }
  Algorithms algorithms() const { return algorithms_; }

 private:
  Algorithms algorithms_;
  trace::Recorder* recorder_ = nullptr;
};

}  // namespace duet::comm
