#pragma once
/// Which task of a Slurm step this process is.
#include "comm/launch/variables.h"

namespace duet::comm {

struct SlurmTask {
  int task = 0;
  int tasks = 1;
  int local_task = 0;   ///< on this node
  int local_tasks = 1;  ///< on this node
};

/// Whether srun started this process as a task of a numbered step. The script of an sbatch, an salloc's shell and the
/// steps that Slurm makes for itself (batch, extern, interactive: numbers near 2^32) are none, though some have
/// SLURM_PROCID=0.
bool is_slurm_step(const Variables& slurm);

/// @throws InputError that names the variable which is missing or wrong
SlurmTask read_slurm_step(const Variables& slurm);

/// The tasks on node number `node`, from Slurm's short form: "2(x3),1" is 2, 2, 2, 1.
/// @throws InputError where it is no such list or shorter
int slurm_tasks_on_node(const std::string& tasks_per_node, int node);

}  // namespace duet::comm
