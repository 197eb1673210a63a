#pragma once
/// A communicator for tests whose rows lie on the host: copies them to the calling thread's GPU, lets NCCL work there,
/// and copies back what came. So the tests of tests/comm run on real GPUs as they are.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <thread>

#include "tests/nccl_double/on_host.h"

namespace duet::comm {

inline void must(cudaError_t result) {
  if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}

/// As many bytes on the device as the rows have on the host.
class DeviceCopy {
 public:
  explicit DeviceCopy(ConstRows host) : host_(host) { must(cudaMalloc(&memory_, std::max<std::size_t>(1, size()))); }
  DeviceCopy(const DeviceCopy&) = delete;
  DeviceCopy& operator=(const DeviceCopy&) = delete;
  ~DeviceCopy() {
    // cudaFree waits for the device. Where an operation failed, the transport ends it only after this frame is left.
    if (failures_ == std::uncaught_exceptions()) cudaFree(memory_);
  }

  void up() const { copy(memory_, host_.bytes.data(), cudaMemcpyHostToDevice); }
  void down(Rows host) const { copy(host.bytes.data(), memory_, cudaMemcpyDeviceToHost); }

  ConstRows rows() const { return writable(); }
  Rows writable() const { return {{static_cast<std::byte*>(memory_), size()}, host_.dtype, host_.row_elements}; }

 private:
  std::size_t size() const { return host_.bytes.size(); }

  void copy(void* to, const void* from, cudaMemcpyKind kind) const {
    if (size() == 0) return;
    must(cudaMemcpyAsync(to, from, size(), kind, nullptr));
    cudaError_t state = cudaErrorNotReady;
    while ((state = cudaStreamQuery(nullptr)) == cudaErrorNotReady) std::this_thread::yield();
    must(state);
  }

  ConstRows host_;
  void* memory_ = nullptr;
  int failures_ = std::uncaught_exceptions();
};

/// A started operation with its copies; the rows arrive on the host when it is waited for.
class StartedThroughDevice final : public Started {
 public:
  StartedThroughDevice(std::unique_ptr<DeviceCopy> send, std::unique_ptr<DeviceCopy> receive, Rows host)
      : send_(std::move(send)), receive_(std::move(receive)), host_(host) {}
  void start(std::unique_ptr<Started> inner) { inner_ = std::move(inner); }

  void wait() override {
    inner_->wait();
    receive_->down(host_);
  }

 private:
  std::unique_ptr<DeviceCopy> send_, receive_;
  Rows host_;
  std::unique_ptr<Started> inner_;  // ends before the memory does
};

class ThroughDevice final : public OnHost {
 public:
  using OnHost::OnHost;

  void send(ConstRows rows, int to) override {
    const DeviceCopy copy(rows);
    copy.up();
    inner().send(copy.rows(), to);
  }
  void receive(Rows rows, int from) override {
    const DeviceCopy copy(rows);
    inner().receive(copy.writable(), from);
    copy.down(rows);
  }
  void all_to_all(ConstRows send, std::span<const std::int64_t> send_rows, Rows receive,
                  std::span<const std::int64_t> receive_rows) override {
    start_all_to_all(send, send_rows, receive, receive_rows)->wait();
  }
  std::unique_ptr<Started> start_all_to_all(ConstRows send, std::span<const std::int64_t> send_rows, Rows receive,
                                            std::span<const std::int64_t> receive_rows) override {
    auto outgoing = std::make_unique<DeviceCopy>(send), incoming = std::make_unique<DeviceCopy>(receive);
    outgoing->up();
    incoming->up();
    const auto from = outgoing->rows();
    const auto into = incoming->writable();
    auto started = std::make_unique<StartedThroughDevice>(std::move(outgoing), std::move(incoming), receive);
    started->start(inner().start_all_to_all(from, send_rows, into, receive_rows));
    return started;
  }
  void all_reduce(Rows inout) override {
    const DeviceCopy copy(inout);
    copy.up();
    inner().all_reduce(copy.writable());
    copy.down(inout);
  }
  std::unique_ptr<Started> start_all_reduce(Rows inout) override {
    auto copy = std::make_unique<DeviceCopy>(inout);
    copy->up();
    const auto rows = copy->writable();
    auto started = std::make_unique<StartedThroughDevice>(nullptr, std::move(copy), inout);
    started->start(inner().start_all_reduce(rows));
    return started;
  }
  void all_gather(ConstRows mine, Rows all) override {
    const DeviceCopy from(mine), into(all);
    from.up();
    inner().all_gather(from.rows(), into.writable());
    into.down(all);
  }
  void reduce_scatter(ConstRows all, Rows mine) override {
    const DeviceCopy from(all), into(mine);
    from.up();
    inner().reduce_scatter(from.rows(), into.writable());
    into.down(mine);
  }
  void broadcast(Rows inout, int root) override {
    const DeviceCopy copy(inout);
    copy.up();
    inner().broadcast(copy.writable(), root);
    copy.down(inout);
  }
  std::unique_ptr<Communicator> split(int color, int key) override {
    auto part = std::make_unique<ThroughDevice>(inner().split(color, key));
    part->set_algorithms(algorithms());
    return part;
  }
};

}  // namespace duet::comm
