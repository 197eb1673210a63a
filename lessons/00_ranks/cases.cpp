#include "comm/all_reduce.h"

#include <algorithm>
#include <atomic>
#include <limits>

#include "comm/point_to_point.h"
#include "comm/threads/run_ranks.h"
#include "core/error.h"
#include "lesson.h"
#include "random.h"

namespace duet::lessons::ranks {

namespace {

const Labels of_ranks{.row = "rank", .column = "", .rows = {}};

// A tensor of each rank, rank 0 first.
using OfRanks = std::vector<at::Tensor>;

at::Tensor vector_of(const std::vector<double>& values) { return table({values}).reshape({-1}); }

at::Tensor sum_in_rank_order(const OfRanks& values) {
  auto sum = at::zeros_like(values.front());
  for (const auto& of_rank : values) sum = sum + of_rank;
  return sum;
}

at::Tensor on_every_rank(const at::Tensor& tensor, std::size_t ranks) { return at::stack(OfRanks(ranks, tensor)); }

// Each pair of ranks exchanges the sums that it has so far, pair by pair.
at::Tensor forwarded_sums(OfRanks values) {
  for (std::size_t low = 0; low < values.size(); ++low) {
    for (std::size_t high = low + 1; high < values.size(); ++high) {
      values[low] = values[high] = values[low] + values[high];
    }
  }
  return at::stack(values);
}

at::Tensor own_first(const OfRanks& values) {
  OfRanks sums;
  for (std::size_t rank = 0; rank < values.size(); ++rank) {
    auto sum = values[rank];
    for (std::size_t peer = 0; peer < values.size(); ++peer) {
      if (peer != rank) sum = sum + values[peer];
    }
    sums.push_back(sum);
  }
  return at::stack(sums);
}

at::Tensor only_on_rank_zero(OfRanks values) {
  values.front() = sum_in_rank_order(values);
  return at::stack(values);
}

std::vector<Suspect> wrong_turns(const OfRanks& values) {
  const auto before = at::stack(values);
  const auto sum = on_every_rank(sum_in_rank_order(values), values.size());
  return {
      {before,
       "No rank's values changed. The sum belongs in `values` itself, which the caller goes on to use: values.add_(..) "
       "and values.copy_(..) write into it. A line like sum = sum + theirs makes a new tensor that only you know."},
      {at::zeros_like(before),
       "Every number is 0. A tensor in C++ is a handle, as in Python: after `auto mine = values` there are two names "
       "for "
       "the same numbers, and values.zero_() clears both. values.clone() makes a copy."},
      {sum + before,
       "Each rank's own values are in its sum twice. Either the sum begins with them, or the loop over ranks adds "
       "them, "
       "but not both."},
      {sum.to(at::kDouble) / static_cast<double>(values.size()),
       "This is the mean: the sum divided by the number of ranks. An all-reduce sums. Whoever wants a mean divides "
       "afterwards (lesson 10), and a count of tokens, for one, must not be divided."},
      {sum - before,
       "Each rank has what came from the others, and its own values are gone. receive overwrites the tensor that it is "
       "given: receive into a tensor of its own (at::empty_like), and add that."},
      {only_on_rank_zero(values),
       "Rank 0 has the sum and the others have not. Every rank runs this function, and each needs the result: what "
       "rank "
       "0 knows, no other rank knows before it is sent."},
      {at::cumsum(before, 0),
       "Each rank has the sum of the ranks up to its own: messages went one way only. Of each pair, both send and both "
       "receive."},
      {forwarded_sums(values),
       "A rank passed on what it had added so far, so that some ranks' values came twice. On two ranks this cannot be "
       "seen, on three it can. Keep a copy of your own values, and send that to everybody."}};
}

// What the ranks hold afterwards, one row a rank.
at::Tensor run(Trial& trial, const OfRanks& values, std::int64_t* fewest_bytes = nullptr) {
  std::vector<Values> in;
  for (const auto& of_rank : values) in.push_back({{"values", of_rank}});
  trial.show("before", at::stack(values), of_ranks);
  OfRanks after;
  for (const auto& result : trial.run_on_ranks(in)) {
    trial.require(result.traffic.other_operations == 0,
                  "Your code called the communicator's own collective. This lesson builds one: out of send and receive "
                  "(comm/point_to_point.h) and nothing else.");
    const auto found = result.out.find("values");
    if (found == result.out.end()) throw Died{.death = Death::forged};
    trial.require(
        found->second.sizes() == values.front().sizes() && found->second.scalar_type() == values.front().scalar_type(),
        "The values have another shape or type than before. Only their numbers change.");
    after.push_back(found->second);
    if (fewest_bytes != nullptr) *fewest_bytes = std::min(*fewest_bytes, result.traffic.bytes_sent);
  }
  return at::stack(after);
}

void expect_sum(Trial& trial, const OfRanks& values) {
  auto fewest_bytes = std::numeric_limits<std::int64_t>::max();
  trial.expect({{"after", run(trial, values, &fewest_bytes)}}, "after",
               on_every_rank(sum_in_rank_order(values), values.size()),
               "Every rank ends with the sum of all ranks' values, each counted once.", wrong_turns(values), of_ranks);
  const auto bytes = static_cast<std::int64_t>(values.front().nbytes());
  trial.require(
      values.size() == 1 || fewest_bytes >= bytes,
      "The sums are right, but a rank's values never left it in a message. Here ranks are threads, so a static "
      "variable is seen by all of them; on two machines it is not.");
}

void two_numbers(Trial& trial) { expect_sum(trial, {vector_of({1}), vector_of({10})}); }

void three_values(Trial& trial) { expect_sum(trial, {vector_of({1, 2, -3}), vector_of({10, 20, 30})}); }

void three_ranks(Trial& trial) {
  trial.say("  The digits of a sum say how often each rank's number is in it.\n");
  expect_sum(trial, {vector_of({1}), vector_of({10}), vector_of({100})});
}

void one_rank(Trial& trial) { expect_sum(trial, {vector_of({5, 6})}); }

// Any order of additions will do that is the same on every rank: a float sum depends on it.
void same_on_every_rank(Trial& trial) {
  OfRanks values;
  for (const double number : {1e8, 1.0, -1e8}) values.push_back(at::full({2}, number, at::kFloat));
  trial.say("  float32 keeps about 7 digits: 1e8 + 1 is 1e8.\n");
  const auto after = run(trial, values);
  if (after.equal(on_every_rank(after[0], values.size()))) return;
  const std::string same =
      "The ranks disagree. A float sum depends on its order, and ranks that add in different orders end with different "
      "numbers: copies of a model would drift apart. Add in rank order on every rank: rank 0's first, your own when it "
      "is your turn.";
  trial.expect({{"after", after}}, "after", on_every_rank(sum_in_rank_order(values), values.size()), same,
               {{own_first(values), same + " Yours begins with its own."}}, of_ranks);
  trial.require(false, same);  // different bits, though close
}

void whole_numbers(Trial& trial) {
  expect_sum(trial, {list({3, 0, 1}), list({0, 0, 7}), list({2, 2, 2}), list({1, 0, 0})});
}

void no_values(Trial& trial) { expect_sum(trial, {at::empty({0}, at::kFloat), at::empty({0}, at::kFloat)}); }

void five_matrices(Trial& trial) {
  OfRanks values;
  for (std::uint64_t rank = 0; rank < 5; ++rank) values.push_back(normal_numbers(rank + 1, {40, 3}).to(at::kFloat));
  expect_sum(trial, values);
}

// Messages of one call on so many ranks; calls counts how many ranks ran it.
double messages(int ranks, std::atomic<int>* calls = nullptr) {
  std::atomic<std::int64_t> sends{0};
  comm::run_ranks(ranks, {}, [&](comm::Communicator& comm) {
    trace::Recorder recorder;
    comm.set_recorder(&recorder);
    comm::all_reduce_naive(comm, at::ones({4}));
    if (calls != nullptr) ++*calls;
    for (const auto& event : recorder.events()) sends += event.operation == trace::Operation::send ? 1 : 0;
  });
  return static_cast<double>(sends.load());
}

// Index of the choice: 0 once, 1 on each of the four ranks, 2 once for each message.
double how_often_it_runs() {
  std::atomic<int> calls{0};
  const auto sends = messages(4, &calls);
  return calls == 1 ? 0 : calls == 4 ? 1 : calls == static_cast<int>(sends) ? 2 : -1;
}

// Index of the choice: 0 both arrive, 1 both wait until the deadline.
double both_send_first() {
  try {
    comm::run_ranks(2, {.deadline = std::chrono::milliseconds(100)}, [](comm::Communicator& comm) {
      const auto values = at::ones({1});
      comm::send(comm, values, 1 - comm.rank());
      comm::receive(comm, values, 1 - comm.rank());
    });
    return 0;
  } catch (const RankError& error) {
    return error.text().where.starts_with("the deadline") ? 1 : -1;
  }
}

}  // namespace

Lesson lesson() {
  return {.slug = "ranks",
          .function = "all_reduce_naive",
          .cases = {{"two ranks, a number each", two_numbers},
                    {"two ranks, three values each", three_values},
                    {"three ranks", three_ranks},
                    {"the same sum on every rank", same_on_every_rank},
                    {"one rank alone", one_rank},
                    {"whole numbers on four ranks", whole_numbers},
                    {"no values at all", no_values},
                    {"matrices on five ranks", five_matrices}},
          .measures = {{"messages", [] { return messages(8); }},
                       {"how_often", how_often_it_runs},
                       {"both_send_first", both_send_first}}};
}

}  // namespace duet::lessons::ranks
