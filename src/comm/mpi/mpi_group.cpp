#include "comm/mpi/mpi_group.h"

namespace duet::comm {

MpiGroup::MpiGroup(std::shared_ptr<MpiWorld> shared, MpiHandle own, std::vector<int> members,
                   std::uint32_t group_number)
    : world(std::move(shared)),
      comm(std::move(own)),
      ranks(std::move(members)),
      number(group_number),
      sent(ranks.size()),
      received(ranks.size()) {
  check_mpi(MPI_Comm_rank(comm.get(), &rank), "MPI_Comm_rank");
}

MpiGroup::~MpiGroup() {
  if (world->has_failed()) comm.leave_open();
}

}  // namespace duet::comm
