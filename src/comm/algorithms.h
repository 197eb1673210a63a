#pragma once
/// Which algorithm carries a collective: the transport's own, or a lesson's, written over send and receive.
namespace duet::comm {

enum class AllReduceAlgorithm { native, naive, ring };
enum class AllToAllAlgorithm { native, pairwise };

struct Algorithms {
  AllReduceAlgorithm all_reduce = AllReduceAlgorithm::native;
  AllToAllAlgorithm all_to_all = AllToAllAlgorithm::native;
};

const char* name(AllReduceAlgorithm algorithm);
const char* name(AllToAllAlgorithm algorithm);

}  // namespace duet::comm
