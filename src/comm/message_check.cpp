#include "comm/message_check.h"

#include <fmt/format.h>

namespace duet::comm {

std::optional<ErrorText> find_mismatch(const ConstRows& sent, const ConstRows& wanted, int from, int to,
                                       std::uint64_t number) {
  const auto text = [&](std::string what, std::string usually) {
    return ErrorText{.what = std::move(what),
                     .where = fmt::format("message #{} from rank {} to rank {}", number, from, to),
                     .usually = std::move(usually),
                     .fix = {}};
  };
  if (sent.dtype != wanted.dtype) {
    return text(fmt::format("rank {} would receive {} values from rank {}, but rank {} sends {}", to,
                            name(wanted.dtype), from, from, name(sent.dtype)),
                "a tensor was made with another dtype on one rank");
  }
  if (sent.row_elements != wanted.row_elements) {
    return text(fmt::format("rank {} would receive rows of {} values from rank {}, but rank {} sends rows of {}", to,
                            wanted.row_elements, from, from, sent.row_elements),
                "the trailing shape of the tensor differs between ranks");
  }
  if (sent.bytes.size() != wanted.bytes.size()) {
    return text(fmt::format("rank {} would receive {} rows from rank {}, but rank {} sends {}", to, wanted.rows(), from,
                            from, sent.rows()),
                "the receiver's size was not agreed with the sender");
  }
  return std::nullopt;
}

std::uint64_t message_number(int from, int to, std::uint64_t number) {
  return 1ULL << 63 | static_cast<std::uint64_t>(from) << 48 | static_cast<std::uint64_t>(to) << 33 |
         (number & 0x1ffffffffULL);
}

}  // namespace duet::comm
