#pragma once
/// A communicator that passes all on to another one and reads host memory.
///
/// As it is, it serves NCCL's transport over the double: the double's devices are host memory, so CPU tensors go as
/// they are, without the copy to a GPU (comm/staging.h) that the real transport needs.
#include "comm/communicator.h"

namespace duet::comm {

class OnHost : public Communicator {
 public:
  explicit OnHost(Communicator& inner) : inner_(inner) {}
  explicit OnHost(std::unique_ptr<Communicator> inner) : owned_(std::move(inner)), inner_(*owned_) {}

  int rank() const override { return inner_.rank(); }
  int size() const override { return inner_.size(); }
  std::string_view transport() const override { return inner_.transport(); }
  bool shares_memory() const override { return inner_.shares_memory(); }

  void send(ConstRows rows, int to) override { inner().send(rows, to); }
  void receive(Rows rows, int from) override { inner().receive(rows, from); }
  void all_to_all(ConstRows send, std::span<const std::int64_t> send_rows, Rows receive,
                  std::span<const std::int64_t> receive_rows) override {
    inner().all_to_all(send, send_rows, receive, receive_rows);
  }
  std::unique_ptr<Started> start_all_to_all(ConstRows send, std::span<const std::int64_t> send_rows, Rows receive,
                                            std::span<const std::int64_t> receive_rows) override {
    return inner().start_all_to_all(send, send_rows, receive, receive_rows);
  }
  void all_reduce(Rows inout) override { inner().all_reduce(inout); }
  std::unique_ptr<Started> start_all_reduce(Rows inout) override { return inner().start_all_reduce(inout); }
  void all_gather(ConstRows mine, Rows all) override { inner().all_gather(mine, all); }
  void reduce_scatter(ConstRows all, Rows mine) override { inner().reduce_scatter(all, mine); }
  void broadcast(Rows inout, int root) override { inner().broadcast(inout, root); }
  void barrier(std::optional<Deadline> deadline) override { inner().barrier(deadline); }

  std::unique_ptr<Communicator> split(int color, int key) override {
    auto part = std::make_unique<OnHost>(inner().split(color, key));
    part->set_algorithms(algorithms());
    return part;
  }

 protected:
  // Where events go is no virtual's to say.
  Communicator& inner() {
    inner_.set_recorder(recorder());
    return inner_;
  }

 private:
  std::unique_ptr<Communicator> owned_;
  Communicator& inner_;
};

}  // namespace duet::comm
