#include "viz/model/flow_stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "viz/model/flow_words.h"

namespace duet::viz {

namespace {

constexpr std::array<const char*, stage_count> names{
    "tokens", "route", "capacity",      "plan",         "counts",         "dispatch",  "expert",   "combine",
    "sum",    "loss",  "combine, back", "expert, back", "dispatch, back", "grad sync", "optimizer"};

std::string tell_tokens(const FlowBatch& batch) {
  return "A token is a row of numbers. " +
         std::string(batch.ranks_in_all == 1 ? "The rank holds the whole batch"
                                             : "Each rank has its own part of the batch") +
         ", and nobody knows yet where its rows have to go. " + tell_batch(batch);
}

std::string tell_route(const FlowBatch& batch) {
  const auto what = batch.choices == 1
                        ? std::string(
                              "The router, the same on every rank, chooses an expert for each token and a gate: "
                              "the weight that the expert's answer will have.")
                        : fmt::format(
                              "The router, the same on every rank, chooses {} experts for each token, with a gate "
                              "each: the weight of that expert's answer. So a token makes {} rows, one a choice.",
                              batch.choices, batch.choices);
  return what + " Rows drawn for each expert: " + of_experts(batch, false) + ".";
}

std::string tell_capacity(const FlowBatch& batch, const trace::StepRecord& step) {
  if (step.capacity < 0) return "No capacity limit was set: every row stays.";
  const auto dropped = std::count_if(batch.rows.begin(), batch.rows.end(), [](auto& row) { return !row.kept(); });
  const auto limit = rows_text(step.capacity);
  if (dropped == 0) return fmt::format("The capacity is {} an expert; of the rows drawn, none is dropped.", limit);
  return fmt::format("An expert takes at most {} {}; what is over is dropped, and no other expert gets it. ", limit,
                     batch.limit_of_a_rank ? "from each rank" : "in all") +
         fmt::format("Of the {} drawn, {} {} dropped, at a cross.", rows_text(std::ssize(batch.rows)), dropped,
                     dropped == 1 ? "is" : "are");
}

std::string tell_plan(const FlowBatch& batch) {
  if (stays(batch)) {
    return "Kept rows line up by expert, those of one expert in token order. " + why_it_stays(batch) +
           " Rows for each expert: " + of_experts(batch, true) + ".";
  }
  return "Each rank lines up its kept rows: by the rank that they go to, then by expert, then in token order. So what "
         "goes to one rank is one block. As planned, " +
         sends(batch);
}

std::string tell_counts(const FlowBatch& batch) {
  if (stays(batch)) return "There is nothing to tell other ranks. " + why_it_stays(batch);
  std::string text =
      "A rank cannot work out what will come: only the sender's router knows. So they tell each other, and each gets "
      "its column of the table. ";
  const int most = batch.ranks() <= 2 ? batch.ranks() : 1;
  for (int rank = 0; rank < most; ++rank) {
    text += fmt::format("{} {} will get", rank == 0 ? "Rank" : "; rank", rank);
    for (int from = 0; from < batch.ranks(); ++from) {
      text += fmt::format("{} {} from {}", from == 0 ? "" : ",", batch.rows_between(from, rank),
                          from == rank ? "itself" : fmt::format("rank {}", from));
    }
  }
  return text + ".";
}

std::string tell_dispatch(const FlowBatch& batch) {
  if (stays(batch)) {
    return why_it_stays(batch) + " Rows go straight to the rank's own experts: " + of_experts(batch, true) + ".";
  }
  return "Dispatch: every row travels to the rank of its expert, and they arrive by expert, then by the rank they came "
         "from. Here " +
         sends(batch);
}

std::string tell_combine(const FlowBatch& batch) {
  const std::string what =
      "Combine, first half: the answers go back the way the rows came, into the order of the plan. ";
  return what + (stays(batch) ? why_it_stays(batch) : "Here " + gets_back(batch));
}

std::string tell_sum(const FlowBatch& batch) {
  const auto added = batch.choices == 1 ? std::string("; with one choice there is nothing to add up")
                                        : fmt::format(", and adds up a token's {} rows", batch.choices);
  const auto dropped = std::count_if(batch.rows.begin(), batch.rows.end(), [](auto& row) { return !row.kept(); });
  return fmt::format("Combine, second half: the rank puts the rows in token order, multiplies each by its gate{}. ",
                     added) +
         (dropped == 0 ? std::string("No row drawn was dropped.")
                       : fmt::format("The {} that {} dropped add{} zero.", rows_text(dropped),
                                     dropped == 1 ? "was" : "were", dropped == 1 ? "s" : ""));
}

std::string tell_combine_back(const FlowBatch& batch) {
  return "The gradient of combine is a dispatch: a token's gradient, times the gate, goes to each of its experts, by "
         "the "
         "same plan and to the same places as in stage 6. " +
         (stays(batch) ? why_it_stays(batch) : "Again " + sends(batch));
}

std::string tell_dispatch_back(const FlowBatch& batch) {
  const auto added = batch.choices == 1 ? std::string() : std::string(", and those of one token are added up");
  return fmt::format(
             "The gradient of dispatch is a combine: the gradients of the rows go home as the answers did in "
             "stages 8 and 9{}. There is no gate this time. ",
             added) +
         (stays(batch) ? why_it_stays(batch) : "Here " + gets_back(batch));
}

std::string tell_sync(const FlowBatch& batch) {
  switch (batch.spread) {
    case Spread::one_rank:
      return "One rank has seen the whole batch: there is nothing to average.";
    case Spread::copies:
      return fmt::format(
          "Every rank has a copy of everything and saw other tokens. So all gradients, the router's and "
          "every expert's, are averaged over {} ranks by an all-reduce.",
          batch.ranks_in_all);
    case Spread::groups:
      return "The router's gradient is averaged over all ranks; an expert's over those ranks that hold the same "
             "expert. "
             "Backward already brought it the rows of its own group.";
    case Spread::apart:
      return fmt::format(
          "Every rank has a copy of the router, so its gradient is averaged over {} ranks by an all-reduce. "
          "An expert is on one rank only and got the rows of all of them: its gradient stays, divided by "
          "{}.",
          batch.ranks_in_all, batch.ranks_in_all);
  }
  return "";
}

}  // namespace

Stage stage_of(int number) { return static_cast<Stage>(std::clamp(number, 0, stage_count - 1)); }

const char* name(Stage stage) { return names[static_cast<std::size_t>(stage)]; }

Stage twin_of(Stage stage) {
  switch (stage) {
    case Stage::dispatch:
      return Stage::combine_back;
    case Stage::expert:
      return Stage::expert_back;
    case Stage::combine:
      return Stage::dispatch_back;
    case Stage::combine_back:
      return Stage::dispatch;
    case Stage::expert_back:
      return Stage::expert;
    case Stage::dispatch_back:
      return Stage::combine;
    default:
      return stage;
  }
}

std::string tell_stage(const FlowBatch& batch, const trace::StepRecord& step, Stage stage) {
  switch (stage) {
    case Stage::tokens:
      return tell_tokens(batch);
    case Stage::route:
      return tell_route(batch);
    case Stage::capacity:
      return tell_capacity(batch, step);
    case Stage::plan:
      return tell_plan(batch);
    case Stage::counts:
      return tell_counts(batch);
    case Stage::dispatch:
      return tell_dispatch(batch);
    case Stage::expert:
      return "Each expert works on its rows as one block, whichever rank they came from: a row x goes in, an answer y "
             "comes out. Rows: " +
             of_experts(batch, true) + ".";
    case Stage::combine:
      return tell_combine(batch);
    case Stage::sum:
      return tell_sum(batch);
    case Stage::loss:
      return fmt::format(
          "The output is compared with the target: the loss of the whole step is {:.4g}. From here on a box "
          "is a gradient: how the loss would change with that row.",
          step.loss);
    case Stage::combine_back:
      return tell_combine_back(batch);
    case Stage::expert_back:
      return "Each expert turns the gradient of its answer into that of its input, and adds up its own weights' "
             "gradient "
             "over all its rows: " +
             of_experts(batch, true) + ".";
    case Stage::dispatch_back:
      return tell_dispatch_back(batch);
    case Stage::grad_sync:
      return tell_sync(batch);
    case Stage::optimizer:
      return fmt::format(
          "Every rank moves its own weights: the router, the same on all, and the experts that it holds. "
          "The norm of all gradients was {:.3g}. Then the next step begins.",
          step.grad_norm);
  }
  return "";
}

}  // namespace duet::viz
