#pragma once
/// Which rank this process is: read from what its launcher left in the environment.
///
/// torchrun sets RANK, WORLD_SIZE and so on (torch/distributed/elastic/agent/server/local_elastic_agent.py; a person
/// may set the same by hand), srun SLURM_* in each task of a step (man srun, "output environment variables"), Open
/// MPI's mpirun OMPI_COMM_WORLD_* (its FAQ, "running"). Two of them at once is ordinary where one starts the other:
///   torchrun in an salloc or sbatch script   torchrun: Slurm's job variables alone are no launch
///   srun, one torchrun a node                torchrun: as many Slurm tasks as torchrun has nodes
///   mpirun in a Slurm job                    Open MPI: on far nodes mpirun's daemon is a Slurm task, one a node
///   srun --pty bash                          none: a step of one task is a shell in which one types
///   srun --mpi=pmix                          Slurm: PMIX_* tell MPI who it is, and nobody else
/// Any other pair is an error: then each process was started twice over, and every rank exists more than once.
#include <string>

#include "comm/launch/variables.h"

namespace duet::comm {

enum class Launcher { none, torchrun, slurm, open_mpi };

/// As messages and tables call it: "torchrun", "Slurm", "Open MPI", "no launcher".
const char* name(Launcher launcher);

struct Launch {
  Launcher launcher = Launcher::none;
  int rank = 0;
  int world_size = 1;
  int local_rank = 0;           ///< among the ranks of this host: which GPU
  int local_world_size = 1;     ///< ranks of this host
  std::string store_host = {};  ///< MASTER_ADDR; empty where none is given
  int store_port = 0;           ///< MASTER_PORT; 0: any that is free
  bool agent_store = false;     ///< torchrun's agent already listens there; otherwise rank 0 does
  int attempt = 0;  ///< how often torchrun started the ranks again; its store keeps the keys of earlier ones
};

/// @throws InputError that names the variable which is wrong or missing, or the two launchers that disagree
Launch read_launch(const Environment& environment);

/// Whether `--ranks asked` can be had.
/// @throws InputError when a launcher started another number of processes
void check_ranks(const Launch& launch, int asked);

}  // namespace duet::comm
