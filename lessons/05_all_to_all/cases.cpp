#include "comm/pairwise_all_to_all.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <numeric>

#include "cases_exchange.h"
#include "comm/threads/run_ranks.h"
#include "random.h"

namespace duet::lessons::all_to_all {

namespace {

at::Tensor matrix_of(const Counts& counts) {
  std::vector<at::Tensor> rows;
  for (const auto& of_sender : counts) rows.push_back(list(of_sender));
  return at::stack(rows);
}

void show_exchange(Trial& trial, const Exchange& exchange, bool with_rows) {
  trial.show("how many rows go", matrix_of(exchange.counts), {.row = "from rank", .column = "to rank", .rows = {}});
  if (!with_rows) return;
  trial.say("  A row says: from rank, to rank, its number.");
  for (std::size_t rank = 0; rank < exchange.ranks(); ++rank) {
    trial.show(fmt::format("rows on rank {}", rank), exchange.rows_of(rank),
               {.row = "", .column = "", .rows = names("to", exchange.sent_by(rank))});
  }
}

// A mismatch of sizes names two numbers; the one that is wrong tells the mistake. What the text says is the student's
// process's word, so ranks are looked at before they are used.
void explain_mismatch(const std::string& error, const Counts& counts) {
  int to = 0, from = 0;
  long long wanted = 0, sent = 0;
  if (std::sscanf(error.c_str(), "rank %d would receive %lld rows from rank %d, but rank %*d sends %lld", &to, &wanted,
                  &from, &sent) != 4) {
    return;
  }
  const auto ranks = static_cast<int>(counts.size());
  if (std::min(to, from) < 0 || std::max(to, from) >= ranks) return;
  const auto right = counts[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
  if (sent != right) {
    throw Failure{fmt::format(
        "{}.\nRank {} should send {} there: send_rows says how many rows go to each rank, receive_rows how many come. "
        "The two differ: what rank {} has for rank {} says nothing of the way back.",
        error, from, right, from, to)};
  }
  throw Failure{fmt::format(
      "{}.\nRank {} should expect {}: receive_rows says how many come from each rank. How many it sends there itself "
      "(send_rows) says nothing of the way back.",
      error, to, right)};
}

bool some_pair_is_one_sided(const Counts& counts) {
  const auto none = matrix_of(counts).eq(0);
  return at::any(none.ne(none.t())).item<bool>();
}

void explain(const std::string& error, const Counts& counts) {
  explain_mismatch(error, counts);
  if (error.find("returned early") != std::string::npos && some_pair_is_one_sided(counts)) {
    throw Failure{error +
                  ", while another waited for it.\nOne rank has rows for another that has none for it: nothing to send "
                  "does not mean nothing to receive. Ask each of the two counts by itself."};
  }
  if (error.find("exceeds dimension size") != std::string::npos || error.find("split_sizes") != std::string::npos) {
    throw Failure{error.substr(0, error.find('\n')) +
                  "\nA block reaches beyond the tensor's end. Blocks differ in length, so where a block begins is the "
                  "sum of the lengths before it: send_rows for `rows`, receive_rows for `received`."};
  }
}

std::vector<RankResult> run(Trial& trial, const Exchange& exchange) {
  std::vector<Values> in;
  for (std::size_t rank = 0; rank < exchange.ranks(); ++rank) {
    in.push_back({{"rows", exchange.rows_of(rank)},
                  {"send_rows", list(exchange.sent_by(rank))},
                  {"receive_rows", list(exchange.received_by(rank))}});
  }
  try {
    return trial.run_on_ranks(in);
  } catch (const Threw& threw) {
    if (!threw.reply.waited_too_long) explain(threw.reply.error, exchange.counts);
    throw;
  }
}

void expect_traffic(Trial& trial, const Traffic& traffic, const Exchange& exchange, std::size_t rank) {
  trial.require(traffic.other_operations == 0,
                "Your code called the communicator's own collective. This lesson builds one: out of send and receive "
                "(comm/point_to_point.h) and nothing else.");
  std::int64_t peers = 0;
  for (std::size_t peer = 0; peer < exchange.ranks(); ++peer) {
    peers += peer != rank && exchange.counts[rank][peer] > 0 ? 1 : 0;
  }
  const auto& counts = exchange.counts[rank];
  const auto rows = exchange.rows_of(rank);
  const auto for_others = std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) - counts[rank];
  const auto bytes = for_others * rows.size(1) * static_cast<std::int64_t>(rows.element_size());
  trial.require(
      traffic.bytes_sent >= bytes,
      fmt::format("The rows are right, but rank {} has {} bytes for others and sent {}. Here ranks are threads, "
                  "so a static variable is seen by all of them; on two machines it is not. Whatever one rank "
                  "knows of another came in a message.",
                  rank, bytes, traffic.bytes_sent));
  trial.require(
      traffic.sends <= peers,
      fmt::format("The rows are right, but rank {} has rows for {} other {} and sent more messages than that: {}. "
                  "Every message takes its time, also an empty one: all rows for one rank go in one message, and a "
                  "pair without rows sends none.",
                  rank, peers, peers == 1 ? "rank" : "ranks", traffic.sends));
}

void expect_exchange(Trial& trial, const Exchange& exchange, bool with_rows = true) {
  show_exchange(trial, exchange, with_rows);
  const auto results = run(trial, exchange);
  for (std::size_t rank = 0; rank < results.size(); ++rank) {
    const auto title = fmt::format("received on rank {}", rank);
    const auto& out = results[rank].out;
    if (!out.contains("received")) throw Died{.death = Death::forged};
    trial.expect({{title, out.at("received")}}, title, at::cat(exchange.blocks_for(rank)),
                 "The rows from rank 0 come first, then those from rank 1, and so on, each sender's in the order in "
                 "which they lay there. Look at where each block begins: in `rows` the sum of send_rows before it, in "
                 "`received` the sum of receive_rows before it.",
                 wrong_turns(exchange, rank),
                 {.row = "", .column = "", .rows = names("from", exchange.received_by(rank))});
  }
  for (std::size_t rank = 0; rank < results.size(); ++rank) {
    expect_traffic(trial, results[rank].traffic, exchange, rank);
  }
}

// A generator of its own for each pair, so that a block is the same for sender and receiver.
at::Tensor random_block(std::size_t from, std::size_t to, std::int64_t count) {
  return normal_numbers(10 * from + to + 1, {count, 32}).to(at::kFloat);
}

at::Tensor telling_whole_numbers(std::size_t from, std::size_t to, std::int64_t count) {
  return telling_block(from, to, count).to(at::kLong);
}

void telling(Trial& trial, const Counts& counts) { expect_exchange(trial, {counts, telling_block}); }

void a_row_each(Trial& trial) { telling(trial, {{1, 1}, {1, 1}}); }
void three_ranks(Trial& trial) { telling(trial, {{1, 1, 2}, {2, 1, 1}, {1, 2, 1}}); }
void uneven(Trial& trial) { telling(trial, {{2, 3}, {1, 0}}); }
void one_way(Trial& trial) { telling(trial, {{1, 0}, {2, 1}}); }
void all_stay(Trial& trial) { telling(trial, {{2, 0}, {0, 1}}); }
void no_rows(Trial& trial) { telling(trial, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}); }
void one_rank(Trial& trial) { telling(trial, {{3}}); }
void all_to_one(Trial& trial) { telling(trial, {{0, 2, 0}, {0, 1, 0}, {0, 3, 0}}); }

void whole_numbers(Trial& trial) { expect_exchange(trial, {{{0, 2, 1}, {1, 1, 0}, {4, 0, 2}}, telling_whole_numbers}); }

void four_ranks(Trial& trial) {
  const Counts counts{{5, 0, 2, 9}, {1, 3, 0, 0}, {0, 7, 4, 2}, {6, 1, 8, 0}};
  expect_exchange(trial, {counts, random_block}, /*with_rows=*/false);
}

struct Sent {
  std::int64_t messages = 0, bytes = 0;
  bool own_rows_arrived = true;
};

// The product on so many ranks, each of which has `own` rows for itself and `others` for every other.
Sent measured(int ranks, std::int64_t own, std::int64_t others, std::int64_t dim) {
  std::atomic<std::int64_t> messages{0}, bytes{0};
  std::atomic<bool> arrived{true};
  comm::run_ranks(ranks, {}, [&](comm::Communicator& comm) {
    trace::Recorder recorder;
    comm.set_recorder(&recorder);
    std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks), others);
    counts[static_cast<std::size_t>(comm.rank())] = own;
    const auto rows = at::full({own + others * (ranks - 1), dim}, comm.rank(), at::kFloat);
    const auto received = at::full_like(rows, -1);
    comm::pairwise_all_to_all(comm, rows, counts, counts, received);
    if (!received.narrow(0, others * comm.rank(), own).eq(comm.rank()).all().item<bool>()) arrived = false;
    for (const auto& event : recorder.events()) {
      messages += event.operation == trace::Operation::send ? 1 : 0;
      bytes += event.bytes;
    }
  });
  return {messages.load(), bytes.load(), arrived.load()};
}

// Index of the choice: 0 as a message to itself, 1 copied without a message, 2 not in the result at all.
double what_own_rows_do() {
  const auto sent = measured(2, 5, 0, 4);
  return sent.own_rows_arrived ? (sent.messages == 0 ? 1 : 0) : 2;
}

}  // namespace

Lesson lesson() {
  return {.slug = "all_to_all",
          .function = "pairwise_all_to_all",
          .cases = {{"two ranks, a row for each", a_row_each},
                    {"three ranks, every count another on the way back", three_ranks},
                    {"a rank that sends more than it gets", uneven},
                    {"rows one way, none back", one_way},
                    {"all rows stay", all_stay},
                    {"no rows anywhere", no_rows},
                    {"one rank alone", one_rank},
                    {"everybody wants rank 1", all_to_one},
                    {"rows of whole numbers", whole_numbers},
                    {"four ranks, 32 float32 a row", four_ranks}},
          .measures = {{"messages", [] { return static_cast<double>(measured(4, 3, 3, 32).messages); }},
                       {"bytes", [] { return static_cast<double>(measured(4, 3, 3, 32).bytes); }},
                       {"own_rows", what_own_rows_do}}};
}

}  // namespace duet::lessons::all_to_all
