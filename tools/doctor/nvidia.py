"""What nvidia-smi says about the driver, the GPUs and who uses them."""

import collections

from finding import numbers
from machine import ABSENT, LATE

# memory in MiB; what the driver does not tell is None.
Gpu = collections.namedtuple("Gpu", "index name driver capability memory used utilisation uuid users")
User = collections.namedtuple("User", "pid program memory owner")

FIELDS = "index,name,driver_version,compute_cap,memory.total,memory.used,utilization.gpu,uuid"


class Nvidia:
    """gpus: those that the driver shows. trouble: why there are none although nvidia-smi is there, in its words."""

    def __init__(self, machine):
        self.machine = machine
        self.trouble, self.gpus = "", []
        self.program = machine.find("nvidia-smi")
        if not self.program:
            return
        table = self._query("--query-gpu=" + FIELDS)
        if table.code not in (0, None) and "not a valid field" in table.out + table.err:  # drivers before 510
            table = self._query("--query-gpu=" + FIELDS.replace(",compute_cap", ""))
            rows = [[*row[:3], "", *row[3:]] for row in rows_of(table.out)]
        else:
            rows = rows_of(table.out)
        said = table.out + table.err
        if "No devices were found" in said:
            return
        if table.code != 0:
            self.trouble = {LATE: "nvidia-smi does not answer", ABSENT: "nvidia-smi cannot be started"}.get(
                table.trouble) or first_line(said) or f"nvidia-smi ended with {table.code}"
            return
        users = self._users()
        self.gpus = [self._gpu(row, users) for row in rows if len(row) >= 8]

    def _query(self, what):
        return self.machine.run([self.program, what, "--format=csv,noheader,nounits"], seconds=30)

    def _gpu(self, row, users):
        index, name, driver, capability, memory, used, utilisation, uuid = row[:8]
        return Gpu(int(index), name, driver, numbers(capability) or None, number(memory), number(used),
                   number(utilisation), uuid, users.get(uuid, []))

    def _users(self):
        table = self._query("--query-compute-apps=gpu_uuid,pid,process_name,used_memory")
        users = collections.defaultdict(list)
        for uuid, pid, program, memory in (row for row in rows_of(table.out) if table.code == 0 and len(row) == 4):
            owner = self.machine.run(["ps", "-o", "user=", "-p", pid])
            users[uuid].append(User(pid, program.split("/")[-1], number(memory), owner.out.strip()))
        return users


def rows_of(text):
    return [[cell.strip() for cell in line.split(",")] for line in text.splitlines() if line.strip()]


def number(text):
    return int(text) if text.isdigit() else None  # [N/A], [Not Supported]


def first_line(text):
    return next((line.strip() for line in text.splitlines() if line.strip()), "")
