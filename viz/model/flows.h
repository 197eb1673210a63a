#pragma once
/// Which rank sends how much to which expert: a layer of a step as flows.
#include <vector>

#include "trace/record.h"

namespace duet::viz {

/// The layer of one rank, or null where it does not have that many.
const trace::LayerStep* layer_of(const trace::StepRecord& step, std::size_t rank, std::size_t layer);

/// The rank that holds `expert` for tokens of `source`: the one of its own expert-parallel group.
int owner_of(const trace::StepRecord& step, std::size_t layer, int source, std::int64_t expert);

/// Pairs of a rank that chose an expert.
struct Flow {
  int rank = 0;
  int owner = 0;
  std::int64_t expert = 0;
  std::int64_t pairs = 0;
  std::int64_t dropped = 0;
};

/// One for each rank and expert, ranks first.
std::vector<Flow> flows_of(const trace::StepRecord& step, std::size_t layer);

/// An expert as it stands on a rank. Under data parallelism each rank has its own copy.
struct Place {
  int rank = 0;
  std::int64_t expert = 0;
  std::int64_t pairs = 0;
};

/// By rank, then by expert.
std::vector<Place> places_of(const std::vector<Flow>& flows);

/// Pairs and dropped pairs of all flows together.
struct Total {
  std::int64_t pairs = 0;
  std::int64_t dropped = 0;
};
Total total_of(const std::vector<Flow>& flows);

/// Whether a step's capacity counts each rank's pairs (scope local), as far as its drops tell.
bool capacity_is_of_a_rank(const std::vector<Flow>& flows, std::int64_t capacity);

}  // namespace duet::viz
