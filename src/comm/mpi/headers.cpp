#include "comm/mpi/headers.h"

#include <algorithm>

namespace duet::comm {

namespace {

constexpr std::size_t fixed = 8;

}  // namespace

std::size_t header_size(int ranks) { return fixed + 2 * static_cast<std::size_t>(ranks); }

std::vector<std::int64_t> to_numbers(const Header& header, int ranks) {
  const auto& mine = header.posting;
  std::vector<std::int64_t> numbers{static_cast<std::int64_t>(mine.operation),
                                    static_cast<std::int64_t>(mine.dtype),
                                    mine.row_elements,
                                    mine.values,
                                    mine.root,
                                    mine.color,
                                    mine.key,
                                    header.new_group};
  numbers.resize(header_size(ranks));  // operations without rows send zeros for them
  const auto rows = numbers.begin() + fixed;
  std::copy(mine.send_rows.begin(), mine.send_rows.end(), rows);
  std::copy(mine.receive_rows.begin(), mine.receive_rows.end(), rows + ranks);
  return numbers;
}

Header from_numbers(std::span<const std::int64_t> numbers) {
  const auto ranks = (numbers.size() - fixed) / 2;
  const auto send_rows = numbers.subspan(fixed, ranks);
  const auto receive_rows = numbers.subspan(fixed + ranks, ranks);
  Header header;
  header.posting = {.operation = static_cast<trace::Operation>(numbers[0]),
                    .dtype = static_cast<DType>(numbers[1]),
                    .row_elements = numbers[2],
                    .values = numbers[3],
                    .send_rows = {send_rows.begin(), send_rows.end()},
                    .receive_rows = {receive_rows.begin(), receive_rows.end()},
                    .root = static_cast<int>(numbers[4]),
                    .color = static_cast<int>(numbers[5]),
                    .key = static_cast<int>(numbers[6])};
  header.new_group = static_cast<std::uint32_t>(numbers[7]);
  return header;
}

}  // namespace duet::comm
