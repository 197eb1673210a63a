#include "comm/gather_text.h"

namespace duet::comm {

namespace {

ConstRows rows(const std::string& text) { return {std::as_bytes(std::span(text)), DType::u8, 1}; }
Rows writable_rows(std::string& text) { return {std::as_writable_bytes(std::span(text)), DType::u8, 1}; }

ConstRows rows(const std::int64_t& value) { return {std::as_bytes(std::span(&value, 1)), DType::i64, 1}; }

}  // namespace

std::vector<std::string> gather_text(Communicator& comm, const std::string& mine) {
  const auto length = static_cast<std::int64_t>(mine.size());
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(comm.size()));
  comm.all_gather(rows(length), {std::as_writable_bytes(std::span(lengths)), DType::i64, 1});
  if (comm.rank() > 0) {
    if (length > 0) comm.send(rows(mine), 0);
    return {};
  }
  std::vector<std::string> texts{mine};
  for (int rank = 1; rank < comm.size(); ++rank) {
    auto& text = texts.emplace_back(static_cast<std::size_t>(lengths[static_cast<std::size_t>(rank)]), '\0');
    if (!text.empty()) comm.receive(writable_rows(text), rank);
  }
  return texts;
}

std::string broadcast_text(Communicator& comm, const std::string& mine) {
  auto length = static_cast<std::int64_t>(mine.size());
  comm.broadcast({std::as_writable_bytes(std::span(&length, 1)), DType::i64, 1}, 0);
  auto text = comm.rank() == 0 ? mine : std::string(static_cast<std::size_t>(length), '\0');
  if (length > 0) comm.broadcast(writable_rows(text), 0);
  return text;
}

}  // namespace duet::comm
