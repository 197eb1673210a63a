#include "comm/mpi/transfers.h"

#include <algorithm>
#include <thread>

#include "comm/mpi/mpi_handle.h"
#include "comm/mpi/pieces.h"
#include "core/clock.h"

namespace duet::comm {

template <typename Byte, typename Start>
void Transfers::post(int peer, bool receives, std::span<Byte> bytes, Start start) {
  const auto pieces = piece_count(bytes.size(), largest_);
  for (std::int64_t i = 0; i < pieces; ++i) {
    const auto piece = piece_of(bytes, largest_, i);
    auto& message = messages_.emplace_back(
        Message{.peer = peer, .receives = receives, .bytes = static_cast<std::int64_t>(piece.size())});
    start(piece.data(), static_cast<int>(piece.size()), &message.request);
  }
}

void Transfers::send(int to, int tag, std::span<const std::byte> bytes) {
  post(to, false, bytes, [&](const std::byte* data, int count, MPI_Request* request) {
    check_mpi(MPI_Isend(data, count, MPI_BYTE, to, tag, comm_, request), "MPI_Isend");
  });
}

void Transfers::send_synchronously(int to, int tag, std::span<const std::byte> bytes) {
  post(to, false, bytes, [&](const std::byte* data, int count, MPI_Request* request) {
    check_mpi(MPI_Issend(data, count, MPI_BYTE, to, tag, comm_, request), "MPI_Issend");
  });
}

void Transfers::receive(int from, int tag, std::span<std::byte> bytes) {
  post(from, true, bytes, [&](std::byte* data, int count, MPI_Request* request) {
    check_mpi(MPI_Irecv(data, count, MPI_BYTE, from, tag, comm_, request), "MPI_Irecv");
  });
}

bool Transfers::test() {
  for (auto i = done_; i < messages_.size(); ++i) {
    auto& message = messages_[i];
    if (message.request != MPI_REQUEST_NULL) {
      int ended = 0;
      MPI_Status status;
      const int code = MPI_Test(&message.request, &ended, &status);
      if (code != MPI_SUCCESS) message.request = MPI_REQUEST_NULL;  // done for, whatever MPI made of it
      if (code != MPI_SUCCESS || ended != 0) check_arrival(message, code, status);
    }
    if (i == done_ && message.request == MPI_REQUEST_NULL) ++done_;
  }
  return done_ == messages_.size();
}

void Transfers::check_arrival(const Message& message, int code, MPI_Status& status) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  const bool truncated = error_class == MPI_ERR_TRUNCATE;
  if (!truncated) check_mpi(code, "MPI_Test");
  if (!message.receives || wrong_size_) return;
  int came = 0;
  if (!truncated) MPI_Get_count(&status, MPI_BYTE, &came);
  if (!truncated && came == message.bytes) return;
  wrong_size_ = WrongSize{.peer = message.peer, .expected = message.bytes, .came = truncated ? -1 : came};
}

std::vector<int> Transfers::missing() const {
  std::vector<int> ranks;
  for (const auto& message : messages_) {
    if (message.request != MPI_REQUEST_NULL) ranks.push_back(message.peer);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

// Open MPI cancels no send. A peer that is in this operation takes it soon; one that is not hears of the failure first
// and takes it never, so that nobody reads the buffer.
void Transfers::abandon(std::int64_t until_ns) {
  for (auto& message : messages_) {
    if (message.receives && message.request != MPI_REQUEST_NULL) MPI_Cancel(&message.request);
  }
  bool open = true;
  while (open) {
    open = false;
    for (auto& message : messages_) {
      int ended = 1;
      if (message.request != MPI_REQUEST_NULL) MPI_Test(&message.request, &ended, MPI_STATUS_IGNORE);
      open = open || ended == 0;
    }
    if (now_ns() > until_ns) break;
    if (open) std::this_thread::yield();
  }
  for (auto& message : messages_) {
    if (message.request != MPI_REQUEST_NULL) MPI_Request_free(&message.request);
  }
}

}  // namespace duet::comm
