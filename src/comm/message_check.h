#pragma once
/// What both ends of a message agree on: its number in traces, and that the receiver wants what the sender sends.
#include <optional>

#include "comm/communicator.h"
#include "core/error.h"

namespace duet::comm {

/// What differs between rows sent by rank `from` and those that rank `to` would receive as message `number` of the
/// pair, first of dtype, row width and row count; no value when nothing does. The bytes themselves are not read.
std::optional<ErrorText> find_mismatch(const ConstRows& sent, const ConstRows& wanted, int from, int to,
                                       std::uint64_t number);

/// A message's number in traces: the same on both sides, unlike any other pair's or a collective's of the group.
/// @param number counts the messages of the pair and direction, from 1
std::uint64_t message_number(int from, int to, std::uint64_t number);

}  // namespace duet::comm
