#include "comm/nccl/nccl_operation.h"

#include "comm/bytes_sent.h"
#include "core/clock.h"

namespace duet::comm {

namespace {

using trace::Operation;

ncclDataType_t nccl_type(DType dtype) {
  switch (dtype) {
    case DType::u8:
      return ncclUint8;
    case DType::i64:
      return ncclInt64;
    case DType::f32:
      return ncclFloat32;
    default:
      return ncclFloat64;
  }
}

cudaStream_t compute_stream(const NcclGroup& group) {
  const auto& current = group.world().compute_stream;
  return current ? static_cast<cudaStream_t>(current()) : nullptr;
}

std::string name_of(Operation operation) { return operation == Operation::none ? "split" : trace::name(operation); }

std::uint64_t next_sequence(NcclGroup& group, Operation operation) {
  if (group.outstanding < NcclGroup::most_outstanding) return ++group.sequence;
  throw InputError(too_many_started(group.world().rank, NcclGroup::most_outstanding,
                                    fmt::format("{} #{}", name_of(operation), group.sequence + 1)));
}

}  // namespace

NcclOperation::NcclOperation(std::shared_ptr<NcclGroup> group, Operation operation, trace::Recorder* recorder)
    : group_(std::move(group)),
      recorder_(recorder),
      sequence_(next_sequence(*group_, operation)),
      wait_(*group_, sequence_, name_of(operation)),
      deadline_(group_->world().deadline),
      start_ns_(now_ns()),
      exceptions_(std::uncaught_exceptions()),
      begin_(std::make_shared<const CudaEvent>()),
      end_(std::make_shared<const CudaEvent>()) {
  posting_.operation = operation;
  group_->world().watch->mark_alive();
}

NcclOperation::~NcclOperation() {
  if (!started_) return;
  if (!finished_) --group_->outstanding;
  if (finished_) return;
  auto& world = group_->world();
  if (!world.watch->has_failed()) {
    if (std::uncaught_exceptions() > exceptions_) {
      world.left = wait_.operation();
    } else {
      world.watch->fail(std::make_exception_ptr(RankError(never_waited(world.rank, wait_.operation()))));
    }
  }
  group_->abort();
}

void NcclOperation::start() {
  group_->guard(wait_, [&] { run(); });
  started_ = true;
  ++group_->outstanding;
}

void NcclOperation::run() {
  if (group_->progress() != nullptr) group_->progress()->enter(group_->rank(), sequence_);
  if (group_->world().checked) {
    agree(*group_, wait_, deadline_, posting_);
  } else {
    check_own_rows(*group_, posting_);
  }
  begin_->record(compute_stream(*group_));
  begin_->hold_back(group_->stream());
  begin_->record(group_->stream());
  enqueue();
  end_->record(group_->stream());
}

void NcclOperation::enqueue() {
  const auto& mine = posting_;
  const auto type = nccl_type(mine.dtype);
  const auto count = static_cast<std::size_t>(mine.values);
  const auto comm = group_->comm();
  const auto stream = group_->stream();
  const auto submit = [&](const char* call, ncclResult_t answer) { group_->submit(wait_, deadline_, call, answer); };
  const auto* const integers = group_->integers().device();
  switch (mine.operation) {
    case Operation::all_to_all:
      return exchange_rows();
    case Operation::barrier:
      return submit("ncclAllReduce",
                    ncclAllReduce(integers, group_->integers().device(), 1, ncclInt64, ncclSum, comm, stream));
    case Operation::all_reduce:
      if (count == 0) return;
      return submit("ncclAllReduce", ncclAllReduce(mine.send, mine.receive, count, type, ncclSum, comm, stream));
    case Operation::all_gather:
      if (count == 0) return;
      return submit("ncclAllGather", ncclAllGather(mine.send, mine.receive, count, type, comm, stream));
    case Operation::reduce_scatter:
      if (count == 0) return;
      return submit("ncclReduceScatter",
                    ncclReduceScatter(mine.send, mine.receive, count, type, ncclSum, comm, stream));
    case Operation::broadcast:
      if (count == 0) return;
      return submit("ncclBroadcast", ncclBroadcast(mine.send, mine.receive, count, type, mine.root, comm, stream));
    default:
      return;
  }
}

// One fused group: every send and receive moves on while the others wait. Nothing is said to or heard from a rank with
// which no rows are exchanged; NCCL would wait for a message that the other side does not send.
void NcclOperation::exchange_rows() {
  const auto& mine = posting_;
  const auto width = mine.row_elements * static_cast<std::int64_t>(size_of(mine.dtype));
  bool any = false;
  auto answer = ncclGroupStart();
  const auto* from = mine.send;
  auto* to = mine.receive;
  for (int peer = 0; peer < group_->size(); ++peer) {
    const auto at = static_cast<std::size_t>(peer);
    const auto out = static_cast<std::size_t>(mine.send_rows[at] * width);
    const auto in = static_cast<std::size_t>(mine.receive_rows[at] * width);
    if (peer == group_->rank()) {
      if (out > 0)
        check_cuda(cudaMemcpyAsync(to, from, out, cudaMemcpyDeviceToDevice, group_->stream()), "cudaMemcpyAsync");
    } else {
      any = any || out > 0 || in > 0;
      if (out > 0 && answer == ncclSuccess)
        answer = ncclSend(from, out, ncclUint8, peer, group_->comm(), group_->stream());
      if (in > 0 && answer == ncclSuccess) answer = ncclRecv(to, in, ncclUint8, peer, group_->comm(), group_->stream());
    }
    from += out;
    to += in;
  }
  const auto ended = ncclGroupEnd();
  group_->submit(wait_, deadline_, "ncclSend and ncclRecv", answer == ncclSuccess ? ended : answer);
}

void NcclOperation::wait() {
  if (finished_) return;
  bool was_done = false;
  group_->guard(wait_, [&] {
    was_done = group_->await(wait_, deadline_, *end_);
    end_->hold_back(compute_stream(*group_));
  });
  finished_ = true;
  --group_->outstanding;
  record(was_done);
}

void NcclOperation::record(bool was_done) {
  group_->world().watch->mark_alive();
  const auto now = now_ns();
  if (!was_done) {  // seen as it ended: now the device's clock can be read by the host's
    group_->anchor = end_;
    group_->anchor_ns = now;
  }
  if (recorder_ == nullptr) return;
  trace::Event event;
  event.operation = posting_.operation;
  event.start_ns = start_ns_;
  event.end_ns = now;
  if (group_->anchor) {
    event.device_end_ns = group_->anchor_ns + end_->ns_since(*group_->anchor);
    event.device_start_ns = event.device_end_ns - end_->ns_since(*begin_);
  }
  event.bytes = bytes_sent(posting_, group_->rank(), group_->size());
  event.modelled = posting_.operation == Operation::all_reduce;
  if (posting_.operation == Operation::all_to_all) event.rows_to = posting_.send_rows;
  event.group = group_->number();
  event.sequence = sequence_;
  trace::Recorder::communication(recorder_, std::move(event));
}

}  // namespace duet::comm
