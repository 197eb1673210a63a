#pragma once
/// What one rank can check of an operation alone, before it talks to others; every transport calls these.
/// All throw InputError, naming rank, operation, and both sizes.
#include "comm/communicator.h"

namespace duet::comm {

/// `peer` is another rank of the communicator.
void check_peer(const Communicator& comm, std::string_view operation, int peer);
void check_root(const Communicator& comm, int root);

/// One row count a rank, none negative, and buffers of exactly that many rows, equal in dtype and width.
void check_exchange(const Communicator& comm, ConstRows send, std::span<const std::int64_t> send_rows,
                    ConstRows receive, std::span<const std::int64_t> receive_rows);

/// `all` holds size() parts like `part`.
void check_parts(const Communicator& comm, std::string_view operation, ConstRows part, ConstRows all);

}  // namespace duet::comm
