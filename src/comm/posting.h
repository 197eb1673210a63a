#pragma once
/// What a rank lays down when it enters a collective, and the check that all ranks agree.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.h"
#include "core/error.h"

namespace duet::comm {

/// One rank's side of one operation.
struct Posting {
  trace::Operation operation = trace::Operation::none;  ///< none: a split
  DType dtype = DType::u8;
  std::int64_t row_elements = 1;
  const std::byte* send = nullptr;
  std::byte* receive = nullptr;
  std::int64_t values = 0;                 ///< reductions, gather, broadcast: values of this rank's part
  std::vector<std::int64_t> send_rows;     ///< all_to_all: to each rank
  std::vector<std::int64_t> receive_rows;  ///< all_to_all: from each rank
  int root = 0;
  int color = 0;  ///< split
  int key = 0;

  /// Back to an empty posting; keeps the memory of the lists.
  void clear(trace::Operation next);
};

/// The name of a posting's operation as messages and traces call it.
const char* operation_name(const Posting& posting);

/// What is wrong when ranks do not agree, in words that name two ranks and both values.
struct Disagreement {
  std::string what;
  std::string usually;
};

/// No value when all agree. Pure, so every rank comes to the same result. `ranks[i]` is what messages call rank i, and
/// `sequence` the operation's number.
std::optional<Disagreement> find_disagreement(std::span<const Posting* const> postings, std::span<const int> ranks,
                                              std::uint64_t sequence);

/// The same as the error that every rank throws. @param world_size tells whether `ranks` are only some of them
ErrorText disagreement_error(const Disagreement& found, const Posting& mine, std::span<const int> ranks,
                             std::uint64_t sequence, int world_size);

}  // namespace duet::comm
