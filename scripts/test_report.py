"""What a run of the test program is remembered for: its failures, to be said again where the output ends."""
import re

COLOUR = re.compile("\x1b\\[[0-9;]*m")
# A failed test or suite, an issue, the summary; lines that explain one follow it.
FAILURE = re.compile("^✘ (Test|Suite) ")
EXPLANATION = re.compile("^↳ ")
CRASH = re.compile(r"^\*\*\* .*crashed|^Thread \d+ .*crashed:|Fatal error: ")
FRAMES_OF_A_CRASH = 14
LONGEST_LINE = 2000


class Report:
    def __init__(self):
        self.failures: list[str] = []
        self._explains = False
        self._frames = 0

    def read(self, line: str) -> None:
        line = COLOUR.sub("", line.rstrip("\n"))
        if CRASH.search(line):
            self._frames = FRAMES_OF_A_CRASH
        starts = bool(FAILURE.match(line))
        self._explains = starts or (self._explains and bool(EXPLANATION.match(line)))
        if self._explains or self._frames > 0:
            self.failures.append(line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + " …")
            self._frames = max(0, self._frames - 1)
