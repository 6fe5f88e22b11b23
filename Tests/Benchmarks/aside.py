"""Runs Python code in a separate process, so that it does not delay the process that measures."""
import multiprocessing
import signal

from support.local_services.processes import dies_with_parent
from support.orchestration import Failure

import measure


class Aside:
    def __init__(self, what: str, work, *arguments):
        self.what = what
        prepare = dies_with_parent(signal.SIGKILL)

        def run() -> None:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            prepare()
            work(*arguments)

        self.process = multiprocessing.get_context("fork").Process(target=run, daemon=True)
        self.process.start()

    @property
    def is_running(self) -> bool:
        if self.process.exitcode not in (None, 0):
            raise Failure(f"{self.what} ended with {self.process.exitcode}")
        return self.process.is_alive()

    def wait(self, seconds: float) -> None:
        self.process.join(seconds)
        if self.is_running:
            raise Failure(f"{self.what} has not ended within {seconds:.0f} s")

    def stop(self) -> None:
        self.process.kill()
        self.process.join()


def publish_all(url: str, lane: str, bodies) -> None:
    broker, last = measure.Broker(url), None
    for body in bodies:
        if last:
            broker.publish(lane, last)
        last = body
    # The broker handles the messages of a channel in order, so it has all messages when it confirms the last one. If
    # the channel were closed without waiting, messages might be lost.
    broker.channel.confirm_delivery()
    broker.publish(lane, last)
    broker.connection.close()
