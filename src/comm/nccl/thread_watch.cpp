#include "comm/nccl/thread_watch.h"

#include "core/clock.h"

namespace duet::comm {

namespace {

class ThreadWatch : public Watch {
 public:
  ThreadWatch(std::shared_ptr<ThreadBoard> board, int rank) : board_(std::move(board)), rank_(rank) {}

  void mark_alive() override { world().mark_alive(rank_, now_ns()); }
  void await(const Wait& wait, Deadline deadline, const std::function<bool()>& done) override {
    world().await_polled(wait, deadline, done);
  }
  bool has_failed() override { return world().has_failed(); }
  void fail(std::exception_ptr error) override { world().fail(rank_, std::move(error)); }
  void throw_failed_or(const Wait& wait, const ErrorText& mine) override { world().throw_failed_or(wait, mine); }
  std::shared_ptr<GroupProgress> progress(std::uint32_t number, int size) override {
    return board_->progress(number, size);
  }

 private:
  ThreadWorld& world() const { return *board_->world; }

  const std::shared_ptr<ThreadBoard> board_;
  const int rank_;
};

/// A rank waits for the id that the root makes.
class IdWait : public Wait {
 public:
  IdWait(int rank, int root) : rank_(rank), root_(root) {}
  int rank() const override { return rank_; }
  bool ready() const override { return false; }
  std::vector<int> missing() const override { return {root_}; }
  std::string operation() const override { return "the start of NCCL"; }

 private:
  const int rank_, root_;
};

}  // namespace

std::shared_ptr<GroupProgress> ThreadBoard::progress(std::uint32_t number, int size) {
  const std::scoped_lock lock(mutex_);
  auto group = groups_[number].lock();
  if (!group) groups_[number] = group = std::make_shared<GroupProgress>(size);
  return group;
}

IdExchange ThreadBoard::exchange_of(int rank) {
  return [this, rank](std::span<const std::byte> mine, int root) { return exchange(rank, mine, root); };
}

std::vector<std::byte> ThreadBoard::exchange(int rank, std::span<const std::byte> mine, int root) {
  if (rank == root) {
    const std::scoped_lock lock(mutex_);
    id_.assign(mine.begin(), mine.end());
  }
  std::vector<std::byte> id;
  world->await_polled(IdWait(rank, root), world->deadline(), [&] {
    const std::scoped_lock lock(mutex_);
    id = id_;
    return !id.empty();
  });
  return id;
}

std::shared_ptr<Watch> make_thread_watch(std::shared_ptr<ThreadBoard> board, int rank) {
  return std::make_shared<ThreadWatch>(std::move(board), rank);
}

}  // namespace duet::comm
