#include "viz/model/inspector.h"

#include <fmt/format.h>

#include "viz/model/routing_bands.h"
#include "viz/model/token_path.h"
#include "viz/model/what_if_words.h"

namespace duet::viz {

namespace {

using trace::StepRecord;

Inspection hint(std::string title) {
  return {std::move(title),
          {{"click", "a rank, an expert, a ribbon or a phase: it is shown here and in every picture"},
           {"zoom in", "with the wheel over the ribbons, to select a single token"}}};
}

std::string of(std::int64_t part, std::int64_t all) {
  return fmt::format("{} of {} ({:.1f} %)", part, all,
                     all == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(all));
}

std::string names(const StepRecord& step, std::size_t layer) {
  std::string tells = step.mode + fmt::format(", step {}", step.step);
  return step.ranks.empty() || step.ranks[0].layers.size() < 2 ? tells : tells + fmt::format(", layer {}", layer);
}

// A token's way, step by step, as the units of the course name the steps.
class TokenRows {
 public:
  TokenRows(const StepRecord& step, std::size_t layer, const TokenPath& path)
      : step_(step), layer_(layer), path_(path) {}

  Inspection tell() {
    const auto title = fmt::format("token {} of rank {} ({})", path_.route->token, path_.rank, names(step_, layer_));
    add("logits", tell_logits(*path_.route));
    for (std::size_t i = 0; i < path_.pairs.size(); ++i) {
      const auto& pair = path_.pairs[i];
      add("route", fmt::format("choice {}: expert {}, gate {:.3f}", i + 1, pair.expert, pair.gate));
      pair.dropped() ? dropped(pair) : kept(pair);
    }
    return {title, std::move(rows_)};
  }

 private:
  void add(std::string name, std::string words, Ink ink = Ink::text) {
    rows_.push_back({std::move(name), std::move(words), ink});
  }

  void dropped(const PairPath& pair) {
    add("plan", "dropped, " + why_dropped(step_, layer_, path_, pair), Ink::dropped);
    add("combine", "contributes zero; with --residual the token itself", Ink::dropped);
  }

  void kept(const PairPath& pair) {
    const bool stays = pair.owner == path_.rank;
    add("plan", fmt::format("kept: row {} of the {} for expert {}, row {} of all that rank {} sends (from 0)",
                            pair.place, pair.kept, pair.expert, pair.row, path_.rank));
    add("dispatch", stays ? fmt::format("stays: expert {} is on rank {} too", pair.expert, pair.owner)
                          : fmt::format("travels from rank {} to rank {}", path_.rank, pair.owner));
    std::int64_t rows = 0;
    for (const auto& flow : flows_of(step_, layer_)) {
      if (flow.owner == pair.owner && flow.expert == pair.expert) rows += flow.pairs - flow.dropped;
    }
    add("expert", fmt::format("expert {} on rank {} computes it, among {} rows", pair.expert, pair.owner, rows));
    add("combine", fmt::format("{}{:.3f} times the expert's output",
                               stays ? "" : fmt::format("back to rank {}: ", path_.rank), pair.gate));
  }

  const StepRecord& step_;
  std::size_t layer_;
  const TokenPath& path_;
  std::vector<InspectorRow> rows_;
};

Inspection inspect_token(const Frame& frame, const StepRecord& step, Hit hit) {
  const auto title = fmt::format("token {} of rank {}", hit.b, hit.a);
  const auto* const tokens = drawn_tokens(frame);
  if (tokens == nullptr) return {title, {{"", "its record is being read", Ink::muted}}};
  if (const auto missing = tokens_missing(frame); !missing.empty()) return {title, {{"", missing, Ink::muted}}};
  const auto path = path_of(*tokens, frame.layer, hit.a, hit.b);
  if (!path) return hint(title + " is not in this step");
  return TokenRows(step, frame.layer, *path).tell();
}

std::vector<Flow> meant(const StepRecord& step, std::size_t layer, Hit hit) {
  std::vector<Flow> flows;
  for (const auto& flow : flows_of(step, layer)) {
    if (!fades(hit, flow)) flows.push_back(flow);
  }
  return flows;
}

InspectorRow dropped_row(const StepRecord& step, std::size_t layer, const std::vector<Flow>& flows) {
  const auto [pairs, dropped] = total_of(flows);
  if (dropped == 0) return {"dropped", "none"};
  const auto* const of_rank = layer_of(step, static_cast<std::size_t>(flows[0].rank), layer);
  return {"dropped", of(dropped, pairs) + ", " + words_of(of_rank->drop_reason), Ink::dropped};
}

std::string takes(const StepRecord& step, std::size_t layer) {
  if (step.capacity < 0) return "no limit";
  const bool each = capacity_is_of_a_rank(flows_of(step, layer), step.capacity);
  return fmt::format("{} of {} pairs", step.capacity, each ? "a rank's" : "all");
}

// "rank 0: 31, rank 1: 28 (4 dropped)"
template <typename Name>
std::string listed(const std::vector<Flow>& flows, const Name& name) {
  constexpr std::size_t most = 16;
  std::string words;
  std::size_t told = 0;
  for (const auto& flow : flows) {
    if (flow.pairs == 0) continue;
    if (++told > most) continue;
    words += fmt::format("{}{}: {}", told == 1 ? "" : ", ", name(flow), flow.pairs);
    if (flow.dropped > 0) words += fmt::format(" ({} dropped)", flow.dropped);
  }
  if (told > most) words += fmt::format(" and {} more", told - most);
  return told == 0 ? "none" : words;
}

Inspection inspect_expert(const StepRecord& step, std::size_t layer, Hit hit) {
  const auto flows = meant(step, layer, hit);
  const auto all = total_of(flows_of(step, layer));
  const auto own = total_of(flows);
  Inspection result{fmt::format("expert {} on rank {} ({})", hit.b, hit.a, names(step, layer)),
                    {{"chosen", of(own.pairs, all.pairs) + " of the batch's pairs"},
                     {"by", listed(flows, [](const Flow& flow) { return fmt::format("rank {}", flow.rank); })},
                     {"capacity", takes(step, layer)},
                     dropped_row(step, layer, flows),
                     {"computes", fmt::format("{} rows", own.pairs - own.dropped)}}};
  const auto* const owner = layer_of(step, static_cast<std::size_t>(hit.a), layer);
  const auto local = owner == nullptr ? -1 : hit.b - owner->first_expert;
  if (owner != nullptr && local >= 0 && local < std::ssize(owner->expert_grad_norm)) {
    result.rows.push_back(
        {"gradient", fmt::format("norm {:.4g}", owner->expert_grad_norm[static_cast<std::size_t>(local)])});
  }
  return result;
}

Inspection inspect_rank(const StepRecord& step, std::size_t layer, Hit hit) {
  const auto flows = meant(step, layer, hit);
  const auto own = total_of(flows);
  const auto& on_rank = *layer_of(step, static_cast<std::size_t>(hit.a), layer);
  std::int64_t leaves = 0, stays = 0, comes = 0;
  for (const auto& flow : flows_of(step, layer)) {
    const auto kept = flow.pairs - flow.dropped;
    if (flow.rank == hit.a) (flow.owner == hit.a ? stays : leaves) += kept;
    if (flow.rank != hit.a && flow.owner == hit.a) comes += kept;
  }
  Inspection result{fmt::format("rank {} ({})", hit.a, names(step, layer)),
                    {{"tokens", fmt::format("{}, {} pairs (token, choice)", on_rank.token_count, own.pairs)},
                     {"chose", listed(flows, [](const Flow& flow) { return fmt::format("E{}", flow.expert); })},
                     dropped_row(step, layer, flows),
                     {"dispatch", fmt::format("{} rows leave, {} stay, {} come", leaves, stays, comes)},
                     {"capacity", takes(step, layer)}}};
  const auto here = std::ssize(on_rank.expert_grad_norm);
  if (here > 0) {
    const auto first = on_rank.first_expert;
    result.rows.push_back(
        {"experts", here == 1 ? fmt::format("E{}", first) : fmt::format("E{} to E{}", first, first + here - 1)});
  }
  if (on_rank.token_count > 0) {
    result.rows.push_back({"router", fmt::format("entropy {:.3f} nats a token",
                                                 on_rank.entropy_sum / static_cast<double>(on_rank.token_count))});
  }
  return result;
}

Inspection inspect_ribbon(const StepRecord& step, std::size_t layer, Hit hit) {
  const auto flows = meant(step, layer, hit);
  const auto& flow = flows[0];
  const auto kept = flow.pairs - flow.dropped;
  const bool stays = flow.owner == flow.rank;
  return {fmt::format("rank {} to expert {} ({})", flow.rank, flow.expert, names(step, layer)),
          {{"pairs",
            fmt::format("{} of rank {}'s (token, choice) pairs chose expert {}", flow.pairs, flow.rank, flow.expert)},
           {"capacity", takes(step, layer)},
           dropped_row(step, layer, flows),
           {"dispatch", stays ? fmt::format("{} rows; they stay on rank {}", kept, flow.rank)
                              : fmt::format("{} rows travel to rank {}, and back in combine", kept, flow.owner)}}};
}

}  // namespace

Inspection inspect(const Frame& frame, Hit hit) {
  if (hit.thing == Thing::phase || hit.thing == Thing::wait) return inspect_phase(frame.modes, hit);
  const auto* const step = drawn_step(frame);
  if (step == nullptr) return hint("nothing is selected");
  if (hit.thing == Thing::token) return inspect_token(frame, *step, hit);
  const auto here = settled(hit, flows_of(*step, frame.layer));
  switch (here.thing) {
    case Thing::expert:
      return inspect_expert(*step, frame.layer, here);
    case Thing::rank:
      return inspect_rank(*step, frame.layer, here);
    case Thing::ribbon:
    case Thing::drop:
      return inspect_ribbon(*step, frame.layer, here);
    default:
      return hint(hit.thing == Thing::rank || hit.thing == Thing::expert || hit.thing == Thing::ribbon
                      ? "what is selected is not in this mode"
                      : "nothing is selected");
  }
}

}  // namespace duet::viz
