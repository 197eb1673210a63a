#include "tests/comm/mpi/job.h"

#include <numeric>

#include "comm/mpi/run_world.h"

namespace duet::comm {

namespace {

// A failure as text and back, for the way between processes.
std::string to_text(const std::optional<MpiFailure>& failure) {
  if (!failure || !failure->own) return {};
  std::string text;
  for (const auto& part : {std::to_string(failure->time_ns), std::to_string(failure->rank),
                           std::to_string(static_cast<int>(failure->code)), std::to_string(failure->foreign),
                           failure->text.what, failure->text.where, failure->text.usually, failure->text.fix}) {
    text += part + '\0';
  }
  return text;
}

MpiFailure from_text(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start < text.size(); start = text.find('\0', start) + 1) {
    parts.emplace_back(text.c_str() + start);
  }
  return {.rank = std::stoi(parts.at(1)),
          .own = true,
          .text = {.what = parts.at(4), .where = parts.at(5), .usually = parts.at(6), .fix = parts.at(7)},
          .foreign = parts.at(3) == "1",
          .code = static_cast<ExitCode>(std::stoi(parts.at(2))),
          .time_ns = std::stoll(parts.at(0))};
}

}  // namespace

Job::Job(MPI_Comm world) : world_(world) {
  MPI_Comm_rank(world_, &rank_);
  MPI_Comm_size(world_, &size_);
}

std::vector<std::string> Job::gather(const std::string& mine) const {
  const auto ranks = static_cast<std::size_t>(size_);
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(ranks), starts(ranks);
  MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, world_);
  std::exclusive_scan(lengths.begin(), lengths.end(), starts.begin(), 0);
  std::string all(static_cast<std::size_t>(starts.back() + lengths.back()), '\0');
  MPI_Allgatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(), MPI_CHAR, world_);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < ranks; ++i) {
    texts.push_back(all.substr(static_cast<std::size_t>(starts[i]), static_cast<std::size_t>(lengths[i])));
  }
  return texts;
}

// A test of fewer ranks than the job has runs on the first ones. As run_ranks does, every process throws the first
// failure of all.
void Job::run(int world_size, Deadline deadline, const Body& body, Kind kind) const {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(world_, rank_ < world_size ? 0 : MPI_UNDEFINED, rank_, &part);
  std::optional<MpiFailure> own;
  if (part != MPI_COMM_NULL) {
    const MpiOptions options{.deadline = deadline,
                             .checked = kind.checked,
                             .grace = std::chrono::seconds(20),
                             .largest_message = kind.largest_message};
    own = run_world(part, options, body).failure;
  }
  std::optional<MpiFailure> first;
  for (const auto& text : gather(to_text(own))) {
    if (text.empty()) continue;
    const auto failure = from_text(text);
    if (!first || failure.time_ns < first->time_ns) first = failure;
  }
  if (first) throw_failure(*first);
  if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
}

std::vector<TestedTransport> Job::transports() const {
  constexpr std::int64_t plenty = 1 << 30;
  std::vector<TestedTransport> all;
  const auto add = [&](const char* name, Kind kind) {
    all.push_back({.name = name,
                   .run = [job = *this, kind](int ranks, Deadline deadline,
                                              const Body& body) { job.run(ranks, deadline, body, kind); },
                   .only_world_size = size_,
                   .checks = kind.checked,
                   .share =
                       [job = *this](std::vector<std::string>& noted) {
                         const auto mine = static_cast<std::size_t>(job.rank());
                         const auto texts = job.gather(mine < noted.size() ? noted[mine] : "");
                         std::copy_n(texts.begin(), noted.size(), noted.begin());
                       }});
  };
  add("mpi", {.checked = false, .largest_message = plenty});
  add("mpi_checked_", {.checked = true, .largest_message = plenty});
  add("mpi_in_pieces_", {.checked = false, .largest_message = 100});
  return all;
}

}  // namespace duet::comm
