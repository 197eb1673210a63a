#pragma once
/// Where a rank thread starts to run.
namespace duet::comm {

/// Moves the calling thread to the core that lies `rank` allowed cores after `first_core`, and lets it go from there.
///
/// The kernel may start two ranks on one core and then see no reason to part them, because they take turns: each
/// exchange would cost two thread switches. Does nothing where there are fewer cores than ranks, or no such call.
void start_on_own_core(int first_core, int rank, int ranks);

/// The core that the calling thread runs on; 0 where the system does not say.
int current_core();

}  // namespace duet::comm
