#pragma once
/// What each wrong turn would have answered, in plain loops.
#include <cmath>

#include "lesson.h"
#include "moe/capacity.h"

namespace duet::lessons::capacity {

/// One shard's wishes and the rule.
struct Shard {
  at::Tensor expert;  ///< [T, k]
  std::int64_t experts = 2;
  CapacityRule rule = {};

  std::int64_t tokens() const { return expert.size(0); }
  std::int64_t top_k() const { return expert.size(1); }
  std::int64_t limit() const { return rule.limit(tokens(), experts, top_k()).value_or(tokens() * top_k()); }
};

inline Routing routing_of(const Shard& shard) {
  const auto scores = at::zeros({shard.tokens(), shard.experts}, at::kDouble);
  return {
      .logits = scores, .probs = scores, .expert = shard.expert, .gate = at::ones(shard.expert.sizes(), at::kDouble)};
}

inline at::Tensor mask_with(Shard shard, std::int64_t limit) {
  shard.rule = {.factor = Fraction{0, 1}, .minimum = limit};
  return apply_capacity(routing_of(shard), shard.rule).mask;
}

/// The last pairs stay, not the first.
inline at::Tensor mask_of_the_last(Shard shard) {
  const auto limit = shard.limit();
  shard.expert = shard.expert.flip({0, 1});
  return mask_with(shard, limit).flip({0, 1});
}

/// A token whose pairs do not all fit is dropped whole, and takes no place.
inline at::Tensor mask_of_whole_tokens(const Shard& shard) {
  std::vector<std::int64_t> taken(static_cast<std::size_t>(shard.experts), 0);
  auto mask = at::zeros(shard.expert.sizes(), at::kBool);
  for (std::int64_t t = 0; t < shard.tokens(); ++t) {
    bool fits = true;
    for (std::int64_t j = 0; j < shard.top_k(); ++j) {
      const auto expert = static_cast<std::size_t>(shard.expert[t][j].item<std::int64_t>());
      fits = fits && taken[expert] < shard.limit();
    }
    if (!fits) continue;
    mask[t].fill_(true);
    for (std::int64_t j = 0; j < shard.top_k(); ++j) {
      ++taken[static_cast<std::size_t>(shard.expert[t][j].item<std::int64_t>())];
    }
  }
  return mask;
}

/// Each column of choices has places of its own.
inline at::Tensor mask_by_column(const Shard& shard) {
  std::vector<at::Tensor> columns;
  for (std::int64_t j = 0; j < shard.top_k(); ++j) {
    auto column = shard;
    column.expert = shard.expert.narrow(1, j, 1).contiguous();
    columns.push_back(mask_with(column, shard.limit()));
  }
  return at::cat(columns, 1);
}

/// All experts share one queue.
inline at::Tensor mask_of_one_queue(const Shard& shard) {
  return at::arange(shard.expert.numel()).lt(shard.limit()).view(shard.expert.sizes());
}

/// All first choices before any second one.
inline at::Tensor mask_by_choice(Shard shard) {
  shard.rule.slot_order = SlotOrder::choice;
  return apply_capacity(routing_of(shard), shard.rule).mask;
}

/// The limit by a double's arithmetic, rounded up, or cut off.
inline std::int64_t limit_in_doubles(const Shard& shard, bool round_up) {
  const auto [numerator, denominator] = shard.rule.factor.value_or(Fraction{});
  const auto factor = static_cast<double>(numerator) / static_cast<double>(denominator);
  const auto places = factor * static_cast<double>(shard.top_k() * shard.tokens()) / static_cast<double>(shard.experts);
  return static_cast<std::int64_t>(round_up ? std::ceil(places) : std::floor(places + 1e-9));
}

inline std::vector<Suspect> about_counts(const Shard& shard, const Kept& right) {
  const auto wanted = shard.expert.reshape({-1});
  const auto kept = shard.expert.masked_select(right.mask);
  return {{at::bincount(wanted),
           "The last experts are missing from counts, because nobody wants them. counts has a place for each of the E "
           "experts: say how many there are (the third argument of bincount), do not let the data say it."},
          {at::bincount(kept, {}, shard.experts),
           "These are the pairs that stay. counts holds those that wanted the expert, before any is dropped: otherwise "
           "capacity hides how uneven the routing is, and the balance loss sees a balance that is not there."},
          {at::bincount(kept),
           "These are the pairs that stay, and the last experts are missing. counts is [E], before any is dropped."}};
}

/// Those who work the limit out by themselves.
inline std::vector<Suspect> about_limit(const Shard& shard) {
  const bool least = shard.rule.minimum > 0 && shard.limit() == shard.rule.minimum;
  return {
      {mask_with(shard, limit_in_doubles(shard, false)),
       least ? "rule.minimum is forgotten: an expert has at least so many places. rule.limit knows it."
             : "The capacity is rounded down. Half a place counts as a whole one: ceil, as rule.limit does. Rounded "
               "down, even the most even routing would lose a token."},
      {mask_with(shard, limit_in_doubles(shard, true)),
       "The factor has gone through a double: 1.1 · 100 / 2 is 55.000000000000007 there, and ceil makes 56 of it. "
       "rule.limit counts in whole numbers."}};
}

/// Two choices a token.
inline std::vector<Suspect> about_pairs(const Shard& shard) {
  return {{mask_of_whole_tokens(shard),
           "A token that found one of its experts full lost the other one too. Capacity drops (token, choice) pairs: "
           "the pair that fits stays, and the token gets half an answer."},
          {mask_by_column(shard),
           "First and second choices are counted apart, so an expert takes its limit twice. One count an expert, for "
           "all columns."},
          {mask_by_choice(shard),
           "All first choices come before any second one here. The task asks for slot order token: both choices of "
           "token 0, then both of token 1."},
          {mask_with(shard, (shard.limit() + shard.top_k() - 1) / shard.top_k()),
           "The limit leaves out k: with two choices a token there are twice as many pairs to place. rule.limit(T, E, "
           "k) takes k."}};
}

inline std::vector<Suspect> about_mask(const Shard& shard, const Kept& right) {
  std::vector<Suspect> suspects;
  const auto add = [&](const std::vector<Suspect>& more) { suspects.insert(suspects.end(), more.begin(), more.end()); };
  if (!shard.rule.factor && shard.rule.minimum == 0) {  // no limit: nothing else can have gone wrong
    return {{at::zeros_like(right.mask),
             "There is no limit in this case, so everything stays. rule.limit(...) is then an std::optional without a "
             "value, and any number compared with that is larger: ask if (limit) first."}};
  }
  if (shard.rule.factor) add(about_limit(shard));
  if (shard.top_k() > 1) add(about_pairs(shard));
  add({{at::ones_like(right.mask),
        "Nothing is dropped. Count how many pairs an expert has already got when the next one comes, over all tokens: "
        "a cumsum along the choices of one token always says 1. And the limit is an expert's share, so T · k is "
        "divided by the number of experts."},
       {mask_of_the_last(shard), "The last pairs stay and the first are dropped. Who comes first is served first."},
       {mask_of_one_queue(shard), "All experts share one queue here. Each expert has a count of its own."},
       {right.mask.logical_not(), "The mask is the wrong way round: true where the pair stays."},
       {mask_with(shard, shard.limit() + 1),
        "Each expert takes one pair too many. A pair stays if fewer than limit came before it: its place in the queue, "
        "counted from 0, "
        "is < limit, one counted from 1 is <= limit."},
       {mask_with(shard, shard.limit() - 1), "Each expert takes one pair less than it has room for."}});
  return suspects;
}

}  // namespace duet::lessons::capacity
