#include "parallel/data_parallel.h"

namespace duet {

Layout data_parallel(int world, std::int64_t experts) { return make_layout({.dp = world, .ep = 1}, experts); }

}  // namespace duet
