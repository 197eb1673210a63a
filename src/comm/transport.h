#pragma once
/// What carries the messages of a run.
namespace duet::comm {

/// threads: ranks are threads of one process; mpi: processes; nccl: a thread or process a GPU.
enum class Transport { threads, mpi, nccl };
const char* name(Transport transport);

}  // namespace duet::comm
