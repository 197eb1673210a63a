#include "parallel/expert_parallel.h"

namespace duet {

Layout expert_parallel(int world, std::int64_t experts) { return make_layout({.dp = 1, .ep = world}, experts); }

}  // namespace duet
