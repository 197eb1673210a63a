#include "viz/model/flow_batch.h"

#include <algorithm>
#include <set>

namespace duet::viz {

namespace {

using trace::DropReason;
using trace::StepRecord;
using trace::TokenRoute;

bool lost_a_row(const TokenRoute& token) {
  return std::any_of(token.reason.begin(), token.reason.end(), [](DropReason r) { return r != DropReason::kept; });
}

// Which tokens of a rank are taken: indices into its list, rising.
std::vector<std::size_t> taken(const std::vector<TokenRoute>& tokens, int rank, const Hit& pinned, std::size_t most) {
  const auto count = std::min(most, tokens.size());
  std::set<std::size_t> chosen;
  const auto first_lost =
      static_cast<std::size_t>(std::find_if(tokens.begin(), tokens.end(), lost_a_row) - tokens.begin());
  if (count > 1 && first_lost < tokens.size()) chosen.insert(first_lost);
  for (std::size_t i = 0; i < tokens.size() && pinned.thing == Thing::token && pinned.a == rank; ++i) {
    if (count > 0 && tokens[i].token == pinned.b) chosen.insert(i);
  }
  for (std::size_t i = 0; i < tokens.size() && chosen.size() < count; ++i) chosen.insert(i);
  return {chosen.begin(), chosen.end()};
}

void add_rows(FlowBatch& batch, const TokenRoute& token, int rank) {
  for (std::size_t slot = 0; slot < token.expert.size(); ++slot) {
    const auto expert = token.expert[slot];
    const auto owner = batch.owner(rank, expert);
    batch.rows.push_back({.rank = rank,
                          .token = token.token,
                          .slot = static_cast<int>(slot),
                          .expert = expert,
                          .owner = owner < 0 ? rank : owner,
                          .gate = slot < token.gate.size() ? token.gate[slot] : 0,
                          .reason = slot < token.reason.size() ? token.reason[slot] : DropReason::kept});
    batch.choices = std::max(batch.choices, static_cast<int>(slot) + 1);
  }
}

// As make_plan: kept pairs by expert (and so by rank, since experts lie in blocks), those of one in pair order.
void number_rows(std::vector<FlowRow>& rows, std::size_t first) {
  std::vector<FlowRow*> order;
  for (auto i = first; i < rows.size(); ++i) {
    if (rows[i].kept()) order.push_back(&rows[i]);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const FlowRow* a, const FlowRow* b) { return a->expert < b->expert; });
  for (std::size_t i = 0; i < order.size(); ++i) order[i]->position = static_cast<std::int64_t>(i);
}

Spread spread_of(const StepRecord& step, std::size_t layer) {
  if (step.ranks.size() <= 1) return Spread::one_rank;
  const auto* const first = layer_of(step, 0, layer);
  if (first == nullptr) return Spread::copies;
  const auto experts = first->tokens_per_expert.size(), here = first->expert_grad_norm.size();
  if (here == 0 || here >= experts) return Spread::copies;
  return experts / here < step.ranks.size() ? Spread::groups : Spread::apart;
}

}  // namespace

int FlowBatch::owner(int rank, std::int64_t expert) const {
  const auto& all = owners[static_cast<std::size_t>(rank)];
  return expert >= 0 && expert < std::ssize(all) ? all[static_cast<std::size_t>(expert)] : -1;
}

std::int64_t FlowBatch::rows_between(int from, int to) const {
  return std::count_if(rows.begin(), rows.end(), [&](const FlowRow& row) {
    return row.kept() && row.rank == from && (to < 0 ? !drawn(row.owner) : row.owner == to);
  });
}

bool FlowBatch::is_about(const Hit& hit, const FlowRow& row) {
  switch (hit.thing) {
    case Thing::token:
      return row.rank == hit.a && row.token == hit.b;
    case Thing::rank:
      return row.rank == hit.a;
    case Thing::expert:
      return row.owner == hit.a && row.expert == hit.b;
    case Thing::ribbon:
    case Thing::drop:
      return row.rank == hit.a && row.expert == hit.b;
    default:
      return false;
  }
}

FlowBatch flow_batch(const StepRecord& step, std::size_t layer, const Hit& pinned, FlowSize size) {
  FlowBatch batch;
  batch.ranks_in_all = static_cast<int>(step.ranks.size());
  batch.spread = spread_of(step, layer);
  const auto ranks = std::min(size.ranks, step.ranks.size());
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto rank = static_cast<int>(r);
    const auto* const own = layer_of(step, r, layer);
    auto& owners = batch.owners.emplace_back();
    const auto experts = own == nullptr ? 0 : std::ssize(own->tokens_per_expert);
    for (std::int64_t expert = 0; expert < experts; ++expert) {
      owners.push_back(owner_of(step, layer, rank, expert));
    }
    batch.tokens_in_all.push_back(own == nullptr ? 0 : own->token_count);
    const auto first = batch.rows.size();
    const auto chosen = own == nullptr ? std::vector<std::size_t>{} : taken(own->tokens, rank, pinned, size.tokens);
    if (own != nullptr) {
      for (const auto i : chosen) add_rows(batch, own->tokens[i], rank);
    }
    batch.tokens_shown.push_back(std::ssize(chosen));
    number_rows(batch.rows, first);
  }
  const auto flows = flows_of(step, layer);
  batch.limit_of_a_rank = capacity_is_of_a_rank(flows, step.capacity);
  for (const auto& place : places_of(flows)) {
    if (batch.drawn(place.rank)) batch.places.push_back(place);
  }
  return batch;
}

bool lacks_tokens(const StepRecord& step, std::size_t layer) {
  bool any = false;
  for (std::size_t rank = 0; rank < step.ranks.size(); ++rank) {
    const auto* const own = layer_of(step, rank, layer);
    if (own == nullptr) continue;
    if (!own->tokens.empty()) return false;
    any = any || own->token_count > 0;
  }
  return any;
}

}  // namespace duet::viz
