#include "comm/nccl/nccl_group.h"

#include <algorithm>
#include <numeric>

#include "comm/nccl/nccl_waits.h"
#include "comm/poll_pause.h"

namespace duet::comm {

namespace {

// Long enough for kernels that were told to stop; a device that does not even then is lost.
constexpr auto time_to_stop = std::chrono::seconds(2);

ncclConfig_t nonblocking() {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;  // or a rank that never comes would hold the others beyond any deadline
  return config;
}

bool accepted(ncclResult_t answer) { return answer == ncclSuccess || answer == ncclInProgress; }

template <typename Done>
bool within(std::chrono::steady_clock::duration time, Done done) {
  const auto until = std::chrono::steady_clock::now() + time;
  for (PollPause pause; !done(); pause()) {
    if (std::chrono::steady_clock::now() >= until) return false;
  }
  return true;
}

}  // namespace

NcclGroup::NcclGroup(std::shared_ptr<NcclWorld> world, std::vector<int> ranks, int rank, std::uint32_t number)
    : sent(ranks.size()),
      received(ranks.size()),
      world_(std::move(world)),
      ranks_(std::move(ranks)),
      rank_(rank),
      number_(number),
      progress_(world_->watch->progress(number, static_cast<int>(ranks_.size()))),
      integers_((ranks_.size() + 1) * header_size()) {}

std::shared_ptr<NcclGroup> NcclGroup::of_all(std::shared_ptr<NcclWorld> world, const ncclUniqueId& id) {
  std::vector<int> ranks(static_cast<std::size_t>(world->size));
  std::iota(ranks.begin(), ranks.end(), 0);
  const int rank = world->rank;
  std::shared_ptr<NcclGroup> group(new NcclGroup(std::move(world), std::move(ranks), rank, 0));
  const BirthWait wait(*group);
  group->guard(wait, [&] {
    auto config = nonblocking();
    const auto answer = ncclCommInitRankConfig(&group->comm_, group->size(), id, rank, &config);
    if (!accepted(answer)) throw RankError(nccl_error(answer, "ncclCommInitRankConfig", doing(*group, wait)));
    group->join(wait);
  });
  return group;
}

std::shared_ptr<NcclGroup> NcclGroup::part(const Wait& wait, int color, std::span<const int> members,
                                           std::uint32_t number) {
  std::vector<int> ranks;
  for (const int member : members) ranks.push_back(world_rank(member));
  const auto place = static_cast<int>(std::find(members.begin(), members.end(), rank_) - members.begin());
  std::shared_ptr<NcclGroup> group(new NcclGroup(world_, std::move(ranks), place, number));
  auto config = nonblocking();
  submit(wait, world_->deadline, "ncclCommSplit", ncclCommSplit(comm_, color, place, &group->comm_, &config));
  // NCCL fills the new handle only when this one is no longer in progress, and not always at once.
  poll_until(wait, world_->deadline, "ncclCommSplit", [&](ncclResult_t) { return group->comm_ != nullptr; });
  group->guard(wait, [&] { group->join(wait); });
  return group;
}

void NcclGroup::join(const Wait& wait) {
  if (progress_) progress_->enter(rank_, 0);
  poll_until(wait, world_->deadline, "ncclCommInitRankConfig", [](ncclResult_t state) { return state == ncclSuccess; });
}

NcclGroup::~NcclGroup() { close(); }

void NcclGroup::poll_until(const Wait& wait, Deadline deadline, const char* call,
                           const std::function<bool(ncclResult_t state)>& done) {
  auto state = ncclSuccess;
  world_->watch->await(wait, deadline, [&] {
    if (const auto answer = ncclCommGetAsyncError(comm_, &state); answer != ncclSuccess) state = answer;
    return !accepted(state) || done(state);
  });
  if (accepted(state)) return;
  const auto error = nccl_error(state, call, doing(*this, wait), comm_);
  // Remote: somebody else broke, and may be about to say why.
  if (state == ncclRemoteError) world_->watch->throw_failed_or(wait, error);
  throw RankError(error);
}

void NcclGroup::submit(const Wait& wait, Deadline deadline, const char* call, ncclResult_t answer) {
  if (answer == ncclRemoteError)
    world_->watch->throw_failed_or(wait, nccl_error(answer, call, doing(*this, wait), comm_));
  if (!accepted(answer)) throw RankError(nccl_error(answer, call, doing(*this, wait), comm_));
  if (answer == ncclSuccess) return;
  poll_until(wait, deadline, call, [](ncclResult_t state) { return state == ncclSuccess; });
}

bool NcclGroup::await(const Wait& wait, Deadline deadline, const CudaEvent& event) {
  int looks = 0;
  poll_until(wait, deadline, "the operation", [&](ncclResult_t) {
    ++looks;
    return event.reached();
  });
  return looks == 1;
}

void NcclGroup::drain(const Wait& wait, Deadline deadline) {
  const CudaEvent end;
  end.record(stream());
  await(wait, deadline, end);
}

std::vector<std::int64_t> NcclGroup::exchange(const Wait& wait, Deadline deadline, std::span<const std::int64_t> mine) {
  const auto each = header_size(), all = each * ranks_.size();
  std::copy(mine.begin(), mine.end(), integers_.host());
  integers_.to_device(0, each, stream());
  submit(wait, deadline, "ncclAllGather",
         ncclAllGather(integers_.device(), integers_.device() + each, each, ncclInt64, comm_, stream()));
  integers_.to_host(each, all, stream());
  drain(wait, deadline);
  return {integers_.host() + each, integers_.host() + each + all};
}

void NcclGroup::guard(const Wait& wait, const std::function<void()>& act) {
  try {
    if (aborted_ || world_->watch->has_failed()) {
      world_->watch->throw_failed_or(
          wait, {.what = fmt::format("{} on a communicator that an earlier failure ended", wait.operation()),
                 .where = fmt::format("rank {}", wait.rank()),
                 .usually = "an error was caught inside the rank",
                 .fix = "let it leave the rank's function"});
    }
    act();
  } catch (const InputError&) {
    throw;
  } catch (...) {
    world_->watch->fail(std::current_exception());
    abort();
    throw;
  }
}

void NcclGroup::abort() {
  aborted_ = true;
  if (comm_ == nullptr) return;
  ncclCommAbort(comm_);
  comm_ = nullptr;
  within(time_to_stop, [&] { return stream_.idle(); });
}

void NcclGroup::close() {
  if (comm_ == nullptr) return;
  const auto ended = [&] {
    auto state = ncclSuccess;
    return ncclCommGetAsyncError(comm_, &state) == ncclSuccess && state == ncclSuccess;
  };
  const bool unwinds = std::uncaught_exceptions() > 0;  // its peers may wait for it, and it cannot say so yet
  const bool well =
      !unwinds && !world_->watch->has_failed() && accepted(ncclCommFinalize(comm_)) && within(time_to_stop, ended);
  if (!well) return abort();
  ncclCommDestroy(comm_);
  comm_ = nullptr;
}

}  // namespace duet::comm
