#include "comm/nccl/agreement.h"

#include <algorithm>

namespace duet::comm {

namespace {

// Where each value lies in a rank's header; the row counts follow.
enum Place : std::size_t { operation, dtype, row_elements, values, root, color, key, number, has_rows, first_count };

std::vector<std::int64_t> to_header(const NcclGroup& group, const Posting& mine) {
  std::vector<std::int64_t> header(group.header_size(), 0);
  header[operation] = static_cast<std::int64_t>(mine.operation);
  header[dtype] = static_cast<std::int64_t>(mine.dtype);
  header[row_elements] = mine.row_elements;
  header[values] = mine.values;
  header[root] = mine.root;
  header[color] = mine.color;
  header[key] = mine.key;
  header[number] = group.world().next_number();
  header[has_rows] = mine.send_rows.empty() ? 0 : 1;
  std::copy(mine.send_rows.begin(), mine.send_rows.end(), header.begin() + first_count);
  std::copy(mine.receive_rows.begin(), mine.receive_rows.end(), header.begin() + first_count + group.size());
  return header;
}

Posting from_header(std::span<const std::int64_t> header, std::size_t size) {
  Posting posting;
  posting.operation = static_cast<trace::Operation>(header[operation]);
  posting.dtype = static_cast<DType>(header[dtype]);
  posting.row_elements = header[row_elements];
  posting.values = header[values];
  posting.root = static_cast<int>(header[root]);
  posting.color = static_cast<int>(header[color]);
  posting.key = static_cast<int>(header[key]);
  if (header[has_rows] == 0) return posting;
  const auto counts = header.subspan(first_count, 2 * size);
  posting.send_rows.assign(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(size));
  posting.receive_rows.assign(counts.begin() + static_cast<std::ptrdiff_t>(size), counts.end());
  return posting;
}

[[noreturn]] void throw_disagreement(const NcclGroup& group, const Posting& mine, const Disagreement& found) {
  throw RankError(disagreement_error(found, mine, group.ranks(), group.sequence, group.world().size));
}

}  // namespace

Agreement agree(NcclGroup& group, const Wait& wait, Deadline deadline, const Posting& mine) {
  auto all = to_header(group, mine);
  if (group.size() > 1) all = group.exchange(wait, deadline, all);
  Agreement result;
  std::vector<const Posting*> postings;
  result.postings.reserve(group.ranks().size());
  for (std::size_t rank = 0; rank < group.ranks().size(); ++rank) {
    const auto header = std::span(all).subspan(rank * group.header_size(), group.header_size());
    postings.push_back(&result.postings.emplace_back(from_header(header, group.ranks().size())));
    result.numbers.push_back(static_cast<std::uint32_t>(header[number]));
  }
  if (const auto found = find_disagreement(postings, group.ranks(), group.sequence)) {
    throw_disagreement(group, mine, *found);
  }
  return result;
}

void check_own_rows(const NcclGroup& group, const Posting& mine) {
  if (mine.operation != trace::Operation::all_to_all) return;
  const auto me = static_cast<std::size_t>(group.rank());
  Posting own;
  own.operation = mine.operation;
  own.send_rows = {mine.send_rows[me]};
  own.receive_rows = {mine.receive_rows[me]};
  const Posting* const alone = &own;
  const int rank = group.world().rank;
  const auto found = find_disagreement(std::span(&alone, 1), std::span(&rank, 1), group.sequence);
  if (found) throw_disagreement(group, mine, *found);
}

}  // namespace duet::comm
