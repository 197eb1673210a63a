#include <fmt/format.h>

#include <array>

#include "cli/flag_groups.h"
#include "cli/parse_value.h"

namespace duet::cli {

std::vector<RunFlag> layout_flags() {
  return {
      {"ranks", "how many ranks", FlagKind::value, [](const RunConfig& c) { return fmt::to_string(c.layout.ranks); },
       [](RunConfig& c, const std::string& v) {
         c.layout.ranks = static_cast<int>(parse_integer("ranks", v, 1, 256));
       }},
      {"dp", "groups of ranks that repeat the experts, in the expert-parallel mode; 0: what --ep leaves",
       FlagKind::value, [](const RunConfig& c) { return fmt::to_string(c.layout.dp); },
       [](RunConfig& c, const std::string& v) { c.layout.dp = static_cast<int>(parse_integer("dp", v, 0, 256)); }},
      {"ep", "ranks that share the experts; 0: what --dp leaves, or as many as divide their number", FlagKind::value,
       [](const RunConfig& c) { return fmt::to_string(c.layout.ep); },
       [](RunConfig& c, const std::string& v) { c.layout.ep = static_cast<int>(parse_integer("ep", v, 0, 256)); }},
      {"all-reduce", "native, naive or ring", FlagKind::value,
       [](const RunConfig& c) { return std::string(name(c.algorithms.all_reduce)); },
       [](RunConfig& c, const std::string& v) {
         using enum comm::AllReduceAlgorithm;
         c.algorithms.all_reduce =
             std::array{native, naive, ring}[parse_choice("all-reduce", v, {"native", "naive", "ring"})];
       }},
      {"all-to-all", "native or pairwise", FlagKind::value,
       [](const RunConfig& c) { return std::string(name(c.algorithms.all_to_all)); },
       [](RunConfig& c, const std::string& v) {
         using enum comm::AllToAllAlgorithm;
         c.algorithms.all_to_all = std::array{native, pairwise}[parse_choice("all-to-all", v, {"native", "pairwise"})];
       }},
      {"transport", "how ranks talk: threads, mpi (processes) or nccl (GPUs)", FlagKind::value,
       [](const RunConfig& c) { return std::string(comm::name(c.transport)); },
       [](RunConfig& c, const std::string& v) {
         using enum comm::Transport;
         c.transport = std::array{threads, mpi, nccl}[parse_choice("transport", v, {"threads", "mpi", "nccl"})];
       }},
      {"checked", "ranks compare what they ask for before data moves; threads always do", FlagKind::on_off,
       [](const RunConfig& c) { return std::string(c.checked ? "on" : "off"); },
       [](RunConfig& c, const std::string& v) { c.checked = parse_on_off("checked", v); }},
      {"device", "cpu, cuda (a GPU for each rank, or one for several), or auto: cuda where there is a GPU",
       FlagKind::value, [](const RunConfig& c) { return std::string(name(c.device)); },
       [](RunConfig& c, const std::string& v) {
         using enum DeviceKind;
         c.device = std::array{cpu, cuda, automatic}[parse_choice("device", v, {"cpu", "cuda", "auto"})];
       }},
      {"deadline", "seconds that a rank waits for another before it says so and ends; 0: for ever", FlagKind::value,
       [](const RunConfig& c) { return fmt::format("{}", c.deadline_s); },
       [](RunConfig& c, const std::string& v) { c.deadline_s = parse_real("deadline", v, 0, 1e6); }},
  };
}

}  // namespace duet::cli
