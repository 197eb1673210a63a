"""Two hosts on one machine: two network namespaces with names of their own, joined by a cable that can be pulled out.

Needs root and iproute2; otherwise ends with 77 (skipped) and the reason.
"""

import contextlib
import itertools
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import light_torch
from processes import DUET, Marked, wait_for

NUMBERS = itertools.count()
PORT = 29500


def call(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


class Hosts:
    """node0 with the address 10.77.0.1, node1 with 10.77.0.2."""

    def __init__(self):
        number = next(NUMBERS)
        self.names = [f"duet{os.getpid()}n{number}h{host}" for host in range(2)]
        ends = [f"dv{os.getpid() % 100000}n{number}h{host}" for host in range(2)]
        for name in self.names:
            call("ip", "netns", "add", name)
        call("ip", "link", "add", ends[0], "netns", self.names[0], "type", "veth", "peer", "name", ends[1], "netns",
             self.names[1])
        for host, (name, end) in enumerate(zip(self.names, ends)):
            call("ip", "-n", name, "link", "set", "lo", "up")
            call("ip", "-n", name, "link", "set", end, "up")
            call("ip", "-n", name, "address", "add", f"{self.address(host)}/24", "dev", end)
        self.ends = ends

    def address(self, host):
        return f"10.77.0.{host + 1}"

    def on(self, host, *command):
        """The command that runs `command` on a host."""
        rename = f'hostname node{host} && exec "$@"'
        return ["ip", "netns", "exec", self.names[host], "unshare", "--uts", "bash", "-c", rename, "bash", *command]

    def pull_the_cable(self):
        call("ip", "-n", self.names[1], "link", "set", self.ends[1], "down")

    def listening(self, host):
        """host:port of all sockets that listen on a host."""
        lines = call("ip", "netns", "exec", self.names[host], "ss", "-Htln").splitlines()
        return [line.split()[3] for line in lines]

    def remove(self):
        for name in self.names:
            with contextlib.suppress(RuntimeError):
                call("ip", "netns", "delete", name)


def why_not():
    """The reason why this machine makes no hosts, or none."""
    try:
        hosts = Hosts()
    except (OSError, RuntimeError) as reason:
        return f"no network namespaces here: {reason}"
    hosts.remove()
    return None


class TwoHosts(unittest.TestCase):
    def setUp(self):
        self.hosts = Hosts()
        self.addCleanup(self.hosts.remove)
        self.marked = Marked()
        self.addCleanup(self.marked.end)

    def start(self, rank, *flags, address=None):
        environment = {**os.environ, "RANK": str(rank), "WORLD_SIZE": "2", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1",
                       "MASTER_ADDR": address or self.hosts.address(0), "MASTER_PORT": str(PORT)}
        return self.marked.start(self.hosts.on(rank, DUET, "ranks", *flags), environment)

    def test_ranks_of_two_hosts_meet(self):
        second = self.start(1)
        out, err = self.start(0, "--json").communicate(timeout=60)
        met = json.loads(out or "{}")
        self.assertEqual([(rank["rank"], rank["host"], rank["local_rank"]) for rank in met.get("ranks", [])],
                         [(0, "node0", 0), (1, "node1", 0)], err)
        self.assertEqual(met["store"], f"{self.hosts.address(0)}:{PORT}")
        second.communicate(timeout=60)
        self.assertEqual(second.returncode, 0)

    def test_the_store_listens_at_the_address_it_was_given_and_nowhere_else(self):
        self.assertEqual(self.hosts.listening(0), [])
        self.start(0, "--hold-rank", "0")
        found = wait_for(lambda: self.hosts.listening(0), 30, "nobody listens")
        self.assertEqual(found, [f"{self.hosts.address(0)}:{PORT}"])

    def test_a_master_address_of_the_other_host_is_told_by_rank_0(self):
        process = self.start(0, address=self.hosts.address(1))
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2)
        self.assertIn(f"{self.hosts.address(1)}:{PORT}", err)
        self.assertIn("MASTER_ADDR must be the host on which rank 0 runs", err)

    def test_a_host_that_cannot_be_reached_is_told(self):
        self.start(0, "--hold-rank", "0")
        wait_for(lambda: self.hosts.listening(0), 30, "nobody listens")
        self.hosts.pull_the_cable()
        process = self.start(1, "--deadline", "2")
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3)
        self.assertIn(f"cannot reach {self.hosts.address(0)}:{PORT}", err)

    def test_a_cable_that_is_pulled_ends_both_ranks_within_their_deadline(self):
        first = self.start(0, "--hold-rank", "0", "--deadline", "5")
        second = self.start(1, "--deadline", "5")
        connected = ["ip", "netns", "exec", self.hosts.names[1], "ss", "-Htn", "state", "established"]
        wait_for(lambda: call(*connected), 30, "rank 1 did not connect")
        self.hosts.pull_the_cable()
        _, err = second.communicate(timeout=30)
        self.assertEqual(second.returncode, 3)
        self.assertRegex(err, r"the store at 10\.77\.0\.1:29500 is gone: no answer within 5 s\n  where +rank 1 of 2 on node1")
        first.kill()

    def test_torchrun_on_both_hosts(self):
        folder = tempfile.TemporaryDirectory(prefix="duet-torchrun-")
        self.addCleanup(folder.cleanup)
        try:
            command, environment = light_torch.torchrun(pathlib.Path(os.environ["DUET_TORCH"]), pathlib.Path(folder.name))
        except light_torch.NoTorch as reason:
            self.skipTest(str(reason))
        # The static meeting: that of c10d looks the hosts' names up, and no name server knows these.
        flags = ["--nnodes=2", "--nproc-per-node=2", f"--master-addr={self.hosts.address(0)}", f"--master-port={PORT}"]
        program = ["--no-python", DUET, "ranks", "--json"]
        runs = [self.marked.start(self.hosts.on(host, *command, *flags, f"--node-rank={host}", *program),
                                  {**environment, "OMP_NUM_THREADS": "1"}) for host in range(2)]
        said = [run.communicate(timeout=120) for run in runs]
        self.assertEqual([run.returncode for run in runs], [0, 0], said)
        met = json.loads("".join(out for out, _ in said))["ranks"]
        self.assertEqual([rank["rank"] for rank in met], [0, 1, 2, 3])
        self.assertEqual(sorted((rank["host"], rank["local_rank"]) for rank in met),
                         [("node0", 0), ("node0", 1), ("node1", 0), ("node1", 1)])


class MpiOnTwoHosts(unittest.TestCase):
    """Open MPI starts a rank on each host, by a stand-in for ssh; their messages go by TCP."""

    def setUp(self):
        if not shutil.which("mpirun"):
            self.skipTest("no mpirun")
        self.hosts = Hosts()
        self.addCleanup(self.hosts.remove)
        self.marked = Marked()
        self.addCleanup(self.marked.end)
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="duet-mpi-")))

    def agent(self):
        """Called with a host's address, then words for a shell there. It is not named ssh, or mpirun adds ssh's flags."""
        script = self.folder / "agent"
        cases = [f'{self.hosts.address(host)}) shift; exec {shlex.join(self.hosts.on(host, "bash", "-c"))} "$*" ;;'
                 for host in range(2)]
        script.write_text("#!/bin/bash\ncase $1 in\n" + "\n".join(cases) + '\nesac\necho "no host $1" >&2; exit 1\n')
        script.chmod(0o755)
        return script

    def start(self, *flags):
        network = f"{self.hosts.address(0)}/24"
        settings = {"plm": "rsh", "plm_rsh_agent": self.agent(), "oob_tcp_if_include": network, "pml": "ob1",
                    "btl": "self,tcp", "btl_tcp_if_include": network, "hwloc_base_binding_policy": "none"}
        command = ["mpirun", "-n", "2", "--host", ",".join(self.hosts.address(host) for host in range(2))]
        for name, value in settings.items():
            command += ["--mca", name, str(value)]
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                       "OMP_NUM_THREADS": "1"}
        inside = ["bash", "-c", f'cd {shlex.quote(str(self.folder))} && exec "$@"', "bash"]
        return self.marked.start(self.hosts.on(0, *inside, *command, "-x", self.marked.mark.split("=")[0], DUET, "train",
                                               *flags), environment)

    def wait_for_steps(self):
        """MPI's own calls that make a group have no deadline, so a fault before the first step is not tested."""
        def steps():
            return any(path.stat().st_size > 50_000 for path in self.folder.glob("runs/*/trace.jsonl.partial"))
        wait_for(steps, 60, "no steps")

    def test_a_run_over_two_hosts_computes_what_threads_compute(self):
        over_tcp = self.start("--steps", "20", "--float64", "--json")
        out, err = over_tcp.communicate(timeout=120)
        self.assertEqual(over_tcp.returncode, 0, err)
        trace = next(self.folder.glob("runs/*/trace.jsonl"))
        self.assertEqual(json.loads(trace.read_text().partition("\n")[0])["transport"], "mpi")
        threads = subprocess.run([DUET, "train", "--ranks", "2", "--steps", "20", "--float64", "--json"], cwd=self.folder,
                                 capture_output=True, text=True, check=True)
        first, second = json.loads(out), json.loads(threads.stdout)
        self.assertEqual(first["loss_last"], second["loss_last"])

    def test_a_rank_killed_on_the_other_host_ends_the_run(self):
        run = self.start("--steps", "0", "--deadline", "10")
        self.wait_for_steps()
        ranks = wait_for(lambda: self.marked.processes(OMPI_COMM_WORLD_RANK=1), 30, "no rank 1")
        for process in ranks:
            os.kill(process, signal.SIGKILL)
        run.communicate(timeout=60)
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual(self.marked.left(20), [])

    def test_a_cable_that_is_pulled_ends_both_ranks_at_the_deadline(self):
        run = self.start("--steps", "0", "--deadline", "3")
        self.wait_for_steps()
        self.hosts.pull_the_cable()
        wait_for(lambda: not self.ranks(), 30, f"ranks are left: {self.ranks()}")
        reason = "".join(path.read_text() for path in self.folder.glob("runs/*/rank_*.status"))
        self.assertRegex(reason, "rank [01] waits in [^\\n]* for rank [01]")
        # mpirun itself waits for its daemon on the other host, until TCP gives up or a person ends it.
        run.terminate()

    def ranks(self):
        return [process for process in self.marked.processes()
                if os.path.realpath(f"/proc/{process}/exe") == os.path.realpath(DUET)]


if __name__ == "__main__":
    if reason := why_not():
        print(reason)
        sys.exit(77)
    unittest.main()
