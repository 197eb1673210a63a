#include "comm/check_arguments.h"

#include <fmt/format.h>

#include <numeric>

#include "core/error.h"

namespace duet::comm {

namespace {

[[noreturn]] void refuse(const Communicator& comm, std::string_view operation, std::string what, std::string usually) {
  throw InputError({.what = std::move(what),
                    .where = fmt::format("{} on rank {} of {}", operation, comm.rank(), comm.size()),
                    .usually = std::move(usually),
                    .fix = {}});
}

void check_side(const Communicator& comm, std::string_view side, ConstRows rows, std::span<const std::int64_t> counts) {
  if (static_cast<int>(counts.size()) != comm.size()) {
    refuse(comm, "all_to_all", fmt::format("{} has {} row counts for {} ranks", side, counts.size(), comm.size()),
           "one count a rank is needed, own rank included");
  }
  for (std::size_t peer = 0; peer < counts.size(); ++peer) {
    if (counts[peer] >= 0) continue;
    refuse(comm, "all_to_all", fmt::format("{}[{}] is {} rows", side, peer, counts[peer]),
           "a difference of offsets was taken the wrong way round");
  }
  const auto counted = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  if (counted * rows.row_bytes() != static_cast<std::int64_t>(rows.bytes.size())) {
    refuse(comm, "all_to_all", fmt::format("{} counts {} rows, but the buffer holds {}", side, counted, rows.rows()),
           "the buffer was made for other counts");
  }
}

}  // namespace

void check_peer(const Communicator& comm, std::string_view operation, int peer) {
  if (peer < 0 || peer >= comm.size()) {
    refuse(comm, operation, fmt::format("there is no rank {}: ranks are 0 to {}", peer, comm.size() - 1),
           "a loop goes one too far (<= for <), or a neighbour's number was not taken modulo the number of ranks");
  }
  if (peer == comm.rank()) {
    refuse(comm, operation,
           fmt::format("rank {} would {} a message {} itself", peer, operation, operation == "send" ? "to" : "from"),
           "send waits until it was received, so a rank that sends to itself waits for ever: copy instead");
  }
}

void check_root(const Communicator& comm, int root) {
  if (root >= 0 && root < comm.size()) return;
  refuse(comm, "broadcast", fmt::format("there is no rank {}: ranks are 0 to {}", root, comm.size() - 1),
         "a rank's number in another communicator was given");
}

void check_exchange(const Communicator& comm, ConstRows send, std::span<const std::int64_t> send_rows,
                    ConstRows receive, std::span<const std::int64_t> receive_rows) {
  if (send.dtype != receive.dtype || send.row_elements != receive.row_elements) {
    refuse(comm, "all_to_all",
           fmt::format("rows of {} {} would be received as rows of {} {}", send.row_elements, name(send.dtype),
                       receive.row_elements, name(receive.dtype)),
           "the tensor to receive into was made with another dtype or trailing shape");
  }
  check_side(comm, "send_rows", send, send_rows);
  check_side(comm, "receive_rows", receive, receive_rows);
}

void check_parts(const Communicator& comm, std::string_view operation, ConstRows part, ConstRows all) {
  if (part.dtype != all.dtype) {
    refuse(comm, operation, fmt::format("a part of {} and a whole of {}", name(part.dtype), name(all.dtype)), {});
  }
  const auto expected = part.bytes.size() * static_cast<std::size_t>(comm.size());
  if (all.bytes.size() == expected) return;
  refuse(comm, operation,
         fmt::format("{} parts of {} values make {}, but the whole holds {}", comm.size(),
                     part.bytes.size() / size_of(part.dtype), expected / size_of(part.dtype),
                     all.bytes.size() / size_of(all.dtype)),
         "the whole is one equal part a rank, in rank order");
}

}  // namespace duet::comm
