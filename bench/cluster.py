"""The reference job on a real Spark cluster: a master and two workers as processes of their own, one killed in the middle.

    python -m bench.cluster [--rows 2000000] [--keep-both]

Everything is on this machine, bound to 127.0.0.1: a broker, a standalone master, two workers with one core each, and
`firesteel run --master spark://…`. When a third of the rows is counted, one worker and its executor are killed with
`kill -9`. The result is compared with an independent count. The commands are those of docs/guide/cluster.md.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyspark

from firesteel.cli.demo import SCRIPT, read_counts
from firesteel.connectors.kafka.admin import create_topic
from firesteel.dev.broker.broker import start_broker
from firesteel.dev.broker.port import answers, free_port
from firesteel.dev.pageviews import PageViews, differences, fill_topic

_HOST = "127.0.0.1"
_ENVIRONMENT = {"SPARK_DAEMON_MEMORY": "256m"}
_PATIENCE = 240.0


def spark_process(folder: Path, name: str, *arguments: str, host: str = _HOST) -> subprocess.Popen[bytes]:
    """A part of Spark in a process group of its own, so that a worker and its executors can be killed together."""
    home = Path(pyspark.__file__).parent
    environment = {**os.environ, **_ENVIRONMENT, "SPARK_LOCAL_IP": host, "SPARK_HOME": str(home)}
    command = ["bash", str(home / "bin" / "spark-class"), *arguments]
    with (folder / f"{name}.log").open("wb") as log:
        return subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, env=environment, start_new_session=True)


@contextlib.contextmanager
def cluster(folder: Path, hosts: Sequence[str] = (_HOST, _HOST)) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The master's address, and the workers, one on each of the hosts, which are all this machine."""
    port = free_port()
    master = f"spark://127.0.0.1:{port}"
    processes = [
        spark_process(
            *(folder, "master", "org.apache.spark.deploy.master.Master"),
            *("--host", "127.0.0.1", "--port", str(port), "--webui-port", str(free_port(port))),
        )
    ]
    try:
        wait_for(lambda: answers(port), "the master")
        for number, host in enumerate(hosts, start=1):
            processes.append(
                spark_process(
                    *(folder, f"worker-{number}", "org.apache.spark.deploy.worker.Worker"),
                    *("--host", host, "--webui-port", str(free_port()), "--cores", "1", "--memory", "2g"),
                    *("--work-dir", str(folder / f"work-{number}"), master),
                    host=host,
                )
            )
        yield master, processes[1:]
    finally:
        for process in reversed(processes):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def wait_for(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(f"{what} did not come within {_PATIENCE:.0f} s")
        time.sleep(0.2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--partitions", type=int, default=4)
    parser.add_argument("--keep-both", action="store_true", help="kill no worker")
    args = parser.parse_args()
    views = PageViews(args.rows, users=50_000)
    # It stays where something went wrong: the logs of master, workers and executors are in it.
    folder = Path(tempfile.mkdtemp(prefix="firesteel-cluster-"))
    with start_broker() as broker, cluster(folder) as (master, workers):
        config = {"bootstrap.servers": broker.bootstrap}
        for topic in ("pageviews", "counts"):
            create_topic(config, topic, partitions=args.partitions)
        fill_topic(config, "pageviews", views, args.partitions)
        script = folder / "job.sql"
        limit = f"'scan.max-rows-per-batch' = '{args.rows // 12}', 'scan.startup.mode'"
        text = SCRIPT.replace("'scan.startup.mode'", limit)
        script.write_text(text.format(views="pageviews", counts="counts", bootstrap=broker.bootstrap))

        def counted() -> int:
            return sum(pv for pv, _ in read_counts(config, "counts").values())

        started = time.monotonic()
        run = [sys.executable, "-m", "firesteel.cli.main", "run", str(script), "--master", master]
        with (folder / "job.log").open("wb") as log:
            job = subprocess.Popen(run, stdout=log, stderr=log)
        try:
            wait_for(lambda: counted() >= args.rows // 3 or job.poll() is not None, "a third of the rows")
            if not args.keep_both and job.poll() is None:
                os.killpg(workers[0].pid, signal.SIGKILL)
                print(f"a worker is killed at {counted():,} of {args.rows:,} rows", flush=True)
            wait_for(lambda: counted() >= args.rows or job.poll() is not None, "the last row")
            job.send_signal(signal.SIGTERM)
            status = job.wait(60)
        finally:
            if job.poll() is None:
                job.kill()
                job.wait()
        if status != 0:
            sys.exit(f"the job ended with {status}:\n{(folder / 'job.log').read_text()}\nLogs are in {folder}.")
        wrong = differences(views.expected_counts(), read_counts(config, "counts"))
        if wrong:
            sys.exit(f"wrong: {wrong}")
        seconds = time.monotonic() - started
        print(f"{args.rows:,} rows on two workers in {seconds:.0f} s; pv and uv of every region are exact", flush=True)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
