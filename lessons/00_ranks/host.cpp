#include "host.h"

#include "comm/all_reduce.h"

namespace duet::lessons {

// The unit works in place, and inputs may not change: it gets a copy.
Values run_unit(const std::string& /*call*/, const Values& in, comm::Communicator* comm) {
  const auto values = in.at("values").clone();
  comm::all_reduce_naive(*comm, values);
  return {{"values", values}};
}

}  // namespace duet::lessons
