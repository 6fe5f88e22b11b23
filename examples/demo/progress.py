"""Shows progress: a bar on a terminal, otherwise a line every few seconds."""
import shutil
import sys
import time

BAR_INTERVAL, LINE_INTERVAL = 0.1, 2.0
WIDEST_BAR = 50


class Progress:
    def __init__(self, total: int, stream=sys.stdout):
        self.total = total
        self.stream = stream
        self.bar = stream.isatty()
        self.started = self.shown = time.monotonic()
        self.count = 0

    def show(self, count: int) -> None:
        now = time.monotonic()
        if count == 0:
            self.started = now
        if count == self.count or now - self.shown < (BAR_INTERVAL if self.bar else LINE_INTERVAL):
            return
        self.count, self.shown = count, now
        text = f"{count:,} of {self.total:,} outcomes, {count / (now - self.started):,.0f} a second"
        if self.bar:
            self._draw(text)
        else:
            print(f"          {text}", file=self.stream, flush=True)

    def _draw(self, text: str) -> None:
        width = max(min(shutil.get_terminal_size().columns - len(text) - 6, WIDEST_BAR), 0)
        full = width * self.count // self.total
        print(f"\r\x1b[K  {'█' * full}{'░' * (width - full)}  {text}", end="", file=self.stream, flush=True)

    def end(self) -> None:
        if self.bar:
            print("\r\x1b[K", end="", file=self.stream, flush=True)
