"""Starts processes that end with this one, and identifies them later even if a pid is reused."""
import contextlib
import ctypes
import os
import pwd
import signal
import socket
import subprocess
import time

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def start_time(pid: int) -> int | None:
    """Returns the start of the process in clock ticks after boot, which identifies it together with the pid (proc(5))."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def identity(pid: int) -> dict:
    return {"pid": pid, "start": start_time(pid)}


def is_alive(known: dict | None) -> bool:
    return bool(known) and known["start"] is not None and start_time(known["pid"]) == known["start"]


def kill(known: dict | None, number: int) -> None:
    if is_alive(known):
        with contextlib.suppress(ProcessLookupError):
            os.kill(known["pid"], number)


def dies_with_parent(number: int):
    """Returns a preexec_fn with which the kernel sends the signal when the parent ends, even by SIGKILL."""
    parent = os.getpid()

    def prepare() -> None:
        _libc.prctl(PR_SET_PDEATHSIG, number, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])

    return prepare


def credentials(account: pwd.struct_passwd) -> dict:
    """Returns the arguments for subprocess that switch to the account, if we run as another user."""
    if account.pw_uid == os.geteuid():
        return {}
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def spawn(command: list[str], account: pwd.struct_passwd, *, on_parent_death: int, **options) -> subprocess.Popen:
    """Starts a server in its own session, so that Ctrl-C in a terminal signals this process and not the server."""
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=dies_with_parent(on_parent_death),
        **credentials(account), **options)


def stop(process: subprocess.Popen, number: int, patience: float) -> None:
    """Sends the signal, waits for up to `patience` seconds, and then kills the process."""
    if process.poll() is None:
        process.send_signal(number)
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()


def free_port(preferred: int | None, taken: set[int]) -> int:
    """Returns a free loopback port below the kernel's range for outgoing connections, which could otherwise take it."""
    first, last = 20000, 32000
    start = int.from_bytes(os.urandom(2), "big") % (last - first)
    candidates = ([preferred] if preferred else []) + [first + (start + i) % (last - first) for i in range(last - first)]
    for port in candidates:
        if port in taken:
            continue
        with contextlib.closing(socket.socket()) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        taken.add(port)
        return port
    raise RuntimeError("no free port on 127.0.0.1")


def answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def wait_for(condition, seconds: float, interval: float = 0.05) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(interval)
    return True
