#pragma once
/// What a rule counts over.

namespace duet {

/// A shard (the same on every layout), or the whole batch in global token order.
enum class Scope { local, global };

}  // namespace duet
