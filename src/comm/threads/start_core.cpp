#include "comm/threads/start_core.h"

#if defined(__linux__)
#include <sched.h>
#endif

#include <vector>

namespace duet::comm {

#if defined(__linux__)

int current_core() {
  const int core = sched_getcpu();
  return core < 0 ? 0 : core;
}

void start_on_own_core(int first_core, int rank, int ranks) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0 || CPU_COUNT(&allowed) < ranks) return;
  std::vector<int> cores;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    const int core = (first_core + i) % CPU_SETSIZE;
    if (CPU_ISSET(core, &allowed)) cores.push_back(core);
  }
  cpu_set_t own;
  CPU_ZERO(&own);
  CPU_SET(cores[static_cast<std::size_t>(rank)], &own);
  sched_setaffinity(0, sizeof(own), &own);
  sched_setaffinity(0, sizeof(allowed), &allowed);
}

#else

int current_core() { return 0; }
void start_on_own_core(int, int, int) {}

#endif

}  // namespace duet::comm
