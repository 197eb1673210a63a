#pragma once
/// Requests and replies as bytes on a pipe: a length, then CBOR. What the student's process sends is not trusted.
#include <cstdint>
#include <functional>
#include <string>

#include "values.h"

namespace duet::lessons {

std::string encode(const Request& request);
std::string encode(const Reply& reply);
/// Both throw InputError for bytes that are no message, or whose sizes contradict each other.
Request decode_request(const std::string& bytes);
Reply decode_reply(const std::string& bytes);

constexpr std::int64_t largest_message = 256 << 20;
constexpr int pipe_closed = 97;  ///< exit code of a student's process whose reply could not be written

/// Asked before each read or write, which may block: false gives up.
using Wait = std::function<bool()>;

/// Writes the length and the bytes; false when the other side is gone.
bool write_message(int file, const std::string& bytes, const Wait& wait = {});
/// Reads one message; false when the other side is gone or sent a length beyond `largest_message`.
bool read_message(int file, std::string& bytes, const Wait& wait = {});

}  // namespace duet::lessons
