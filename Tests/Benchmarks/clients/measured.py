"""Shared code of the clients' scripts. A script reads its parameters from a JSON file, which is its only argument. It prints
the seconds and the CPU time that sending took to standard output."""
import json
import resource
import sys
import time
import types

with open(sys.argv[1]) as file:
    WISH = types.SimpleNamespace(**json.load(file))


def begin() -> tuple[float, float]:
    """Returns the start times. Called after a first push, so that imports, connecting and logging in are not counted."""
    return time.monotonic(), time.process_time()


def tell(began: tuple[float, float], accepted: int) -> None:
    seconds, cpu = time.monotonic() - began[0], time.process_time() - began[1]
    print(json.dumps({"seconds": seconds, "cpu_seconds": cpu, "accepted": accepted,
                      "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
