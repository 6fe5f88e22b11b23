"""The commands of scripts/services for users and scripts."""
import os
import signal
import subprocess
import sys
import time

from .instance import ROOT, Instance, Refusal
from .processes import is_alive, kill, wait_for

# The servers' own limits for stopping (20 s each, one after the other), and a margin.
STOP_LIMIT = 50.0
START_LIMIT = 90.0


def say(message: str) -> None:
    print(f"services: {message}", file=sys.stderr, flush=True)


def running(state: dict) -> bool:
    return state.get("phase") == "ready" and is_alive(state.get("supervisor")) and all(
        is_alive(server["process"]) for server in state["servers"].values())


def up(instance: Instance, fresh: bool, owner: int | None, nodes: int, settings: list[str],
       standby: bool) -> int:
    lock = acquire(instance, owner, fresh)
    if lock is None:
        return 0
    if fresh:
        instance.wipe()
    instance.forget_state()
    command = [sys.executable, str(ROOT / "scripts" / "services"), *instance.options, "supervise", "--lock", str(lock),
               "--nodes", str(nodes), *(f"--broker-setting={setting}" for setting in settings)]
    if owner:
        command += ["--owner", str(owner)]
    if standby:
        command.append("--standby")
    started = time.monotonic()
    say("starting RabbitMQ and PostgreSQL")
    with open(instance.log_file, "ab") as log:
        supervisor = subprocess.Popen(
            command, cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            pass_fds=(lock,))
    os.close(lock)
    # If the start is interrupted, no server may be left behind.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        ready = wait_for(
            lambda: instance.state().get("phase") == "ready" or supervisor.poll() is not None, START_LIMIT * nodes)
    except KeyboardInterrupt:
        supervisor.terminate()
        supervisor.wait()
        raise
    if not ready:
        supervisor.terminate()
        raise Refusal(f"not up within {START_LIMIT * nodes:.0f} s; see {instance.log_file}")
    if supervisor.poll() is not None:
        raise Refusal(instance.state().get("message") or f"the start failed; see {instance.log_file}")
    say(f"up after {time.monotonic() - started:.1f} s; variables in {instance.env_file.relative_to(ROOT)}")
    return 0


def acquire(instance: Instance, owner: int | None, fresh: bool) -> int | None:
    """Returns the lock, or None if the servers are up and can be used as they are."""
    deadline = time.monotonic() + STOP_LIMIT + START_LIMIT
    waiting = False
    while True:
        lock = instance.try_lock()
        if lock is not None:
            return lock
        state = instance.state()
        if state.get("phase") == "ready" and is_alive(state.get("supervisor")):
            holder = state.get("owner")
            if holder and holder["pid"] != owner:
                raise Refusal(f"these servers are in use by process {holder['pid']}")
            if fresh:
                raise Refusal("the servers are up, and --fresh would delete their data; stop them first: down")
            for name, server in state["servers"].items():
                if not is_alive(server["process"]):
                    control(instance, "start", name)
            say("already up")
            return None
        if not waiting:
            say("waiting for another start or stop to finish")
            waiting = True
        if state and not is_alive(state.get("supervisor")):
            reap(state)
        if time.monotonic() > deadline:
            raise Refusal(f"{instance.lock_file} is still held by another process")
        time.sleep(0.1)


def reap(state: dict) -> None:
    """Kills the servers of a supervisor that has ended, if the kernel has not killed them already."""
    for server in [entry["process"] for entry in state.get("servers", {}).values()] + [state.get("epmd")]:
        kill(server, signal.SIGKILL)


def down(instance: Instance, owner: int | None = None) -> int:
    if not instance.is_locked():
        instance.forget_state()
        say("not running")
        return 0
    state = instance.state()
    if owner and (state.get("owner") or {}).get("pid") != owner:
        say(f"left running: not tied to process {owner}")
        return 0
    try:
        kill(state.get("supervisor"), signal.SIGTERM)
        if not is_alive(state.get("supervisor")):
            reap(state)
        if not wait_for(lambda: not instance.is_locked(), STOP_LIMIT):
            kill(state.get("supervisor"), signal.SIGKILL)
            reap(state)
            if not wait_for(lambda: not instance.is_locked(), 10):
                raise Refusal(f"{instance.lock_file} is still held by another process")
    except PermissionError as error:
        raise Refusal("another user started these servers and must stop them") from error
    instance.forget_state()
    say("stopped")
    return 0


def control(instance: Instance, action: str, server: str) -> int:
    state = instance.state()
    if not is_alive(state.get("supervisor")) or state.get("phase") != "ready":
        raise Refusal("not running")
    if server not in state["servers"]:
        raise Refusal(f"there is no {server}; choose from {', '.join(state['servers'])}")
    if not wait_for(lambda: not instance.control_file.exists(), START_LIMIT):
        raise Refusal("an earlier command is still running")
    instance.write(instance.control_file, f"{action} {server}\n")
    kill(state["supervisor"], signal.SIGUSR1)
    done = wait_for(
        lambda: not instance.control_file.exists() or not is_alive(state["supervisor"]), START_LIMIT)
    if not done or not is_alive(state["supervisor"]):
        raise Refusal(f"{action} {server} failed; see {instance.log_file}")
    return 0


def env(instance: Instance) -> int:
    if not instance.env_file.exists() or not is_alive(instance.state().get("supervisor")):
        raise Refusal("not running")
    for line in instance.env_file.read_text().splitlines():
        print(f"export {line}")
    return 0


def status(instance: Instance) -> int:
    state = instance.state()
    if not is_alive(state.get("supervisor")):
        print("not running")
        return 3
    for name, server in state.get("servers", {}).items():
        alive = is_alive(server["process"])
        ports = ", ".join(f"{use} {port}" for use, port in server["ports"].items())
        print(f"{name:9} {'pid ' + str(server['process']['pid']) if alive else 'not running':14} 127.0.0.1: {ports}")
    if state.get("owner"):
        print(f"tied to process {state['owner']['pid']}")
    return 0 if running(state) else 3


def wipe(instance: Instance) -> int:
    down(instance)
    lock = instance.try_lock()
    if lock is None:
        raise Refusal("the servers were started again in the meantime; nothing was deleted")
    instance.wipe()
    os.close(lock)
    return 0
