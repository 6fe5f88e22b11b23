"""What each client's script is told (a file of JSON, its one argument), and what it tells: seconds and CPU of sending, on standard output."""
import json
import resource
import sys
import time
import types

with open(sys.argv[1]) as file:
    WISH = types.SimpleNamespace(**json.load(file))


def begin() -> tuple[float, float]:
    """After a first push: imports, connecting and logging in are not counted."""
    return time.monotonic(), time.process_time()


def tell(began: tuple[float, float], accepted: int) -> None:
    seconds, cpu = time.monotonic() - began[0], time.process_time() - began[1]
    print(json.dumps({"seconds": seconds, "cpu_seconds": cpu, "accepted": accepted,
                      "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
