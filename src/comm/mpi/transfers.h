#pragma once
/// Messages under way between this process and others, all tested together.
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace duet::comm {

/// A message that came with another size than it was received with.
struct WrongSize {
  int peer = 0;
  std::int64_t expected = 0;  ///< bytes
  std::int64_t came = 0;      ///< bytes; -1: more than expected
};

/// Ranks are the communicator's. What is sent and received must stay alive until `test` says that all is done, or
/// `abandon`.
class Transfers {
 public:
  /// @param largest bytes of a message; longer ones travel in pieces
  Transfers(MPI_Comm comm, std::int64_t largest) : comm_(comm), largest_(largest) {}
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;

  void send(int to, int tag, std::span<const std::byte> bytes);
  /// Ends only after the other side has begun to receive.
  void send_synchronously(int to, int tag, std::span<const std::byte> bytes);
  void receive(int from, int tag, std::span<std::byte> bytes);

  /// Lets MPI work; true once everything is done.
  bool test();
  /// The ranks that something is still awaited from, or that have not taken what was sent to them; ascending.
  std::vector<int> missing() const;
  /// The first message that came with a wrong size; nothing more may be made of this exchange then.
  const std::optional<WrongSize>& wrong_size() const { return wrong_size_; }

  /// Gives up what is under way: receives are cancelled, sends get until `until_ns` (core/clock.h) to end. The buffers
  /// may go afterwards. Throws nothing.
  void abandon(std::int64_t until_ns);

 private:
  struct Message {
    MPI_Request request = MPI_REQUEST_NULL;
    int peer = 0;
    bool receives = false;
    std::int64_t bytes = 0;
  };

  template <typename Byte, typename Start>
  void post(int peer, bool receives, std::span<Byte> bytes, Start start);
  void check_arrival(const Message& message, int code, MPI_Status& status);

  const MPI_Comm comm_;
  const std::int64_t largest_;
  std::vector<Message> messages_;
  std::size_t done_ = 0;  ///< the first messages of the list, in a row
  std::optional<WrongSize> wrong_size_;
};

}  // namespace duet::comm
