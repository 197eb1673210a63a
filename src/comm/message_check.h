#pragma once
/// The check that a message's receiver wants what its sender sends.
#include <optional>

#include "comm/communicator.h"
#include "core/error.h"

namespace duet::comm {

/// What differs between rows sent by rank `from` and those that rank `to` would receive as message `number` of the
/// pair, first of dtype, row width and row count; no value when nothing does. The bytes themselves are not read.
std::optional<ErrorText> find_mismatch(const ConstRows& sent, const ConstRows& wanted, int from, int to,
                                       std::uint64_t number);

}  // namespace duet::comm
