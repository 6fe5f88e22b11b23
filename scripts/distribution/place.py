"""What is handed out, of what, and where it is put."""
import dataclasses
import pathlib

from orchestration import ROOT, Run

OUTPUT = ROOT / ".build" / "dist"
PROGRAM = OUTPUT / "martlet"


@dataclasses.dataclass
class Source:
    """The commit that is checked out."""
    commit: str
    # Its time, in seconds since 1970: that of everything made of it.
    time: int
    # Whether there are changes that are in no commit.
    is_changed: bool
    # The release that it is, by its tag.
    is_release: bool

    @staticmethod
    def read(run: Run) -> "Source":
        git = ["git", "-C", ROOT]
        tags = run.output([*git, "tag", "--points-at", "HEAD"]).split()
        source = Source(
            commit=run.output([*git, "rev-parse", "--short=12", "HEAD"]).strip(),
            time=int(run.output([*git, "show", "--no-patch", "--format=%ct", "HEAD"])),
            is_changed=bool(run.output([*git, "status", "--porcelain"]).strip()),
            is_release=any(tag.startswith("v") for tag in tags))
        run.environment["SOURCE_DATE_EPOCH"] = str(source.time)
        return source

    @property
    def name(self) -> str:
        return self.commit + (", changed" if self.is_changed else "")
