#include "comm/gather_text.h"

#include "comm/point_to_point.h"
#include "comm/tensors.h"
#include "core/tensor.h"

namespace duet::comm {

namespace {

// Tensors and not bytes: what a transport cannot read where it lies is copied for it (comm/staging.h).
at::Tensor bytes_of(const std::string& text) {
  const auto bytes = at::empty({static_cast<std::int64_t>(text.size())}, at::kByte);
  std::ranges::copy(text, bytes.data_ptr<std::uint8_t>());
  return bytes;
}

std::string text_of(const at::Tensor& bytes) {
  const auto* const first = bytes.const_data_ptr<std::uint8_t>();
  return {first, first + bytes.numel()};
}

at::Tensor length_of(const std::string& text) {
  return at::full({1}, static_cast<std::int64_t>(text.size()), at::kLong);
}

}  // namespace

std::vector<std::string> gather_text(Communicator& comm, const std::string& mine) {
  const auto lengths = all_gather(comm, length_of(mine));
  if (comm.rank() > 0) {
    if (!mine.empty()) send(comm, bytes_of(mine), 0);
    return {};
  }
  std::vector<std::string> texts{mine};
  for (int rank = 1; rank < comm.size(); ++rank) {
    const auto bytes = at::empty({lengths[rank].item<std::int64_t>()}, at::kByte);
    if (bytes.numel() > 0) receive(comm, bytes, rank);
    texts.push_back(text_of(bytes));
  }
  return texts;
}

std::string broadcast_text(Communicator& comm, const std::string& mine) {
  const auto length = length_of(mine);
  broadcast(comm, length, 0);
  const auto bytes = comm.rank() == 0 ? bytes_of(mine) : at::empty({length.item<std::int64_t>()}, at::kByte);
  if (bytes.numel() > 0) broadcast(comm, bytes, 0);
  return text_of(bytes);
}

}  // namespace duet::comm
