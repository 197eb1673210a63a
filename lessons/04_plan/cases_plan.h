#pragma once
/// The judge's side of the plan: inputs, the right answer, and what each wrong turn would have answered.
#include <fmt/format.h>

#include "lesson.h"
#include "moe/plan.h"

namespace duet::lessons::plan {

inline Placement placement_of(const Values& in) {
  return place_in_blocks(number_in(in, "experts"), static_cast<int>(number_in(in, "ranks")));
}

inline SendPlan right(const Values& in) {
  return make_plan(in.at("expert"), {.mask = in.at("kept"), .counts = in.at("counts")}, placement_of(in));
}

/// All pairs kept. `expert` has T * k entries, token by token.
inline Values routing(const std::vector<std::int64_t>& expert, std::int64_t top_k, Placement placement) {
  const auto chosen = list(expert).reshape({-1, top_k});
  return {{"expert", chosen},
          {"kept", at::ones_like(chosen, at::kBool)},
          {"counts", at::bincount(chosen.reshape({-1}), {}, placement.experts)},
          {"experts", number(placement.experts)},
          {"ranks", number(placement.ranks)}};
}

inline Values without_pairs(Values in, const std::vector<std::int64_t>& dropped) {
  auto kept = in.at("kept").clone();
  kept.view({-1}).index_fill_(0, list(dropped), 0);
  in["kept"] = kept;
  return in;
}

/// Kept pairs sorted by `key` [T, k], equal ones in pair order.
inline at::Tensor order_by(const at::Tensor& key, const at::Tensor& kept) {
  const auto behind_all = key.numel() == 0 ? at::zeros({}, at::kLong) : key.max() + 1;
  const auto sorted = at::argsort(at::where(kept, key, behind_all).reshape({-1}), /*stable=*/true);
  return sorted.narrow(0, 0, kept.sum().item<std::int64_t>());
}

inline std::vector<Suspect> wrong_groups(const Values& in) {
  const auto& expert = in.at("expert");
  const auto& kept = in.at("kept");
  const auto placement = placement_of(in);
  const auto rank = at::div(expert, placement.per_rank(), "floor");
  const auto local = expert - rank * placement.per_rank();
  const auto round_robin = expert.remainder(placement.ranks) * placement.experts + expert;
  return {
      {order_by(expert, at::ones_like(kept)),
       "A dropped pair is among your rows. Only pairs whose kept is yes travel: the expert has no room for others."},
      {order_by(at::zeros_like(expert), kept),
       "Your rows stand in token order. What goes to one rank must lie side by side, as one block: sort by expert."},
      {order_by(rank, kept),
       "Your rows are grouped by rank alone. A rank that holds several experts must get the rows of its first "
       "expert, then those of its second: each expert works on one block."},
      {order_by(local * placement.ranks + rank, kept),
       "Your rows are grouped by the expert's number on its rank, so rows of several ranks alternate. What goes to "
       "one rank must be one block: by rank first, then by that rank's expert."},
      {order_by(round_robin, kept),
       "You dealt the experts out like cards: expert e on rank e % ranks. They lie in blocks: rank 0 holds the "
       "first per_rank() experts, so expert e is on rank e / per_rank()."}};
}

// Pairs are numbered token by token; wrong turns number them choice by choice, or forget the choice.
inline std::vector<Suspect> wrong_pairs(const Values& in, const SendPlan& plan) {
  const auto top_k = in.at("expert").size(1);
  const auto tokens = in.at("expert").size(0);
  const auto choice_first = order_by(in.at("expert").t(), in.at("kept").t());
  std::vector<Suspect> suspects;
  if (top_k > 1) {
    suspects = {{plan.tokens(),
                 "order holds tokens where pairs should be. A token with two choices fills two rows, and the way back "
                 "must know which is which: pair = token * k + choice."},
                {choice_first,
                 "Your pairs are numbered choice by choice: all first choices, then all second ones. Here pair = token "
                 "* k + choice, as expert [T, k] lies in memory."}};
    if (tokens > 0) {
      const auto as_pairs = choice_first.remainder(tokens) * top_k + at::div(choice_first, tokens, "floor");
      suspects.push_back({as_pairs,
                          "Within an expert's group the first choices stand before the second ones. The group's order "
                          "is pair order: token by token."});
    }
  }
  return suspects;
}

/// The same groups as `order`, but with `given`'s own order inside each.
inline bool only_shuffled_inside(const at::Tensor& given, const SendPlan& plan) {
  if (given.sizes() != plan.order.sizes() || given.scalar_type() != at::kLong) return false;
  std::int64_t start = 0;
  for (const auto rows : plan.send_rows) {
    const auto group = std::get<0>(at::sort(given.narrow(0, start, rows), /*dim=*/0));
    if (!group.equal(plan.order.narrow(0, start, rows))) return false;
    start += rows;
  }
  return true;
}

inline std::vector<Suspect> wrong_orders(const Values& in, const SendPlan& plan, const at::Tensor& given) {
  if (given.numel() > plan.rows()) {
    return {{given, fmt::format("A dropped pair is among your rows: order has {} of them, and {} pairs are kept.",
                                given.numel(), plan.rows())}};
  }
  auto suspects = wrong_groups(in);
  suspects.push_back({plan.position.reshape({-1}),
                      "This is the inverse: for each pair its row. order answers the other question, for each row its "
                      "pair: rows[i] = x[order[i]]. What you have here is position."});
  for (auto& one : wrong_pairs(in, plan)) suspects.push_back(std::move(one));
  if (only_shuffled_inside(given, plan)) {
    suspects.push_back({given,
                        "The groups are right, but inside a group the pairs stand in another order. A sort that is not "
                        "stable may swap equal keys: the sums then differ from run to run in their last digits. Ask "
                        "for a stable one."});
  }
  return suspects;
}

inline std::vector<Suspect> wrong_send_rows(const Values& in, const SendPlan& plan) {
  const auto right = list(plan.send_rows);
  const auto ends = right.cumsum(0);
  const auto chosen = right.nonzero().reshape({-1});
  const auto used = chosen.numel() == 0 ? std::int64_t{0} : chosen[-1].item<std::int64_t>() + 1;
  return {{in.at("counts"),
           "These are the counts before dropping. send_rows counts what travels: together they must be N, the rows "
           "there are. The peer would wait for rows that never come."},
          {right.reshape({in.at("ranks").item<std::int64_t>(), -1}).sum(1),
           "This is a number for each rank. It takes one for each expert: the peer cuts what arrives into its experts' "
           "blocks by them."},
          {right.narrow(0, 0, used),
           "The last experts got no row, and so they have no number. An expert without rows has a 0: bincount's "
           "minlength, or a vector that begins as zeros of the right length."},
          {right.index_select(0, chosen),
           "Experts without rows have no number. They have a 0, or the peer takes the next expert's rows for theirs."},
          {ends, "These are ends of groups (a running sum), not their lengths."},
          {ends - right, "These are starts of groups (a running sum), not their lengths."}};
}

inline std::vector<Suspect> wrong_positions(const Values& in, const SendPlan& plan) {
  const auto& kept = in.at("kept");
  const auto right = list(plan.send_rows);
  const auto group = in.at("expert").reshape({-1});
  const auto length = right.index_select(0, group).reshape(kept.sizes());
  const auto start = (right.cumsum(0) - right).index_select(0, group).reshape(kept.sizes());
  const auto& position = plan.position;
  const auto only_kept = [&](const at::Tensor& value) { return at::where(kept, value, position); };
  std::vector<Suspect> suspects{
      {only_kept(position + length),
       "Each group begins where it should end: your prefix sum counts the group's own rows too. A group starts after "
       "the rows of the groups before it: at 0 for the first, at cumsum - own for the others."},
      {only_kept(position + 1),
       "Every position is one too high. A running count that counts the pair itself begins at 1, rows begin at 0."},
      {only_kept(position - start),
       "Your positions begin at 0 in every group. Add where the group starts: the rows of all groups before it."},
      {at::where(kept, position, 0),
       "A dropped pair points to row 0. There lies somebody else's row, and the token would come home with its "
       "neighbour's output. N, one behind the last row, is where nothing lies (lesson 07 keeps zeros there)."},
      {at::where(kept, position, -1), "A dropped pair has -1. Here it is N, the number of rows, one behind the last."}};
  if (plan.rows() == position.numel()) {
    suspects.push_back({plan.order.reshape(position.sizes()),
                        "position is order once more. It is the inverse: order says which pair is in row i, position "
                        "in which row pair p is, so position[order[i]] = i."});
  }
  return suspects;
}

}  // namespace duet::lessons::plan
