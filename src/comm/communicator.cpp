#include "comm/communicator.h"

#include "comm/transport.h"

#include <array>

namespace duet::comm {

std::size_t size_of(DType dtype) {
  static constexpr std::array<std::size_t, 4> sizes{1, 8, 4, 8};
  return sizes[static_cast<std::size_t>(dtype)];
}

const char* name(DType dtype) {
  static constexpr std::array names{"uint8", "int64", "float32", "float64"};
  return names[static_cast<std::size_t>(dtype)];
}

const char* name(AllReduceAlgorithm algorithm) {
  static constexpr std::array names{"native", "naive", "ring"};
  return names[static_cast<std::size_t>(algorithm)];
}

const char* name(Transport transport) {
  switch (transport) {
    case Transport::threads:
      return "threads";
    case Transport::mpi:
      return "mpi";
    case Transport::nccl:
      break;
  }
  return "nccl";
}

const char* name(AllToAllAlgorithm algorithm) { return algorithm == AllToAllAlgorithm::native ? "native" : "pairwise"; }

}  // namespace duet::comm
