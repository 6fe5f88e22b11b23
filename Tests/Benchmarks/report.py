"""Reports the measurements with the machine, the versions and how to repeat them: on the terminal, as a page, as Markdown."""
import datetime
import functools
import html
import os
import pathlib
import platform
import re
import shlex
import subprocess
import sys
import typing

from support.orchestration import MARTLET, ROOT

HEAD = ("measure", "martlet", "beside", "ratio", "goal", "met")
STYLE = """
:root { color-scheme: light dark; --ink: #1b2a41; --quiet: #52606d; --paper: #fff; --card: #eef3fb; --line: #d5dce6; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4eaf2; --quiet: #a3b1c2; --paper: #10182a; --card: #1a2540; --line: #34425e; --bad: #ff8a80; }
}
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem 1rem 3rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { margin: 0; } h2 { margin: 2.2rem 0 .4rem; } p { max-width: 48rem; } .quiet, li { color: var(--quiet); } li { max-width: 48rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .8rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { background: var(--card); } tbody th { font-weight: 500; } .inner { padding-left: 2rem; } .bad { color: var(--bad); font-weight: 600; }
pre { background: var(--card); padding: .8rem 1rem; border-radius: 6px; overflow-x: auto; }
"""


class Table(typing.NamedTuple):
    part: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]
    notes: tuple[str, ...] = ()


def first_line(*command) -> str:
    """Returns the first line of a program's output, or an empty string if the program is missing or fails."""
    try:
        result = subprocess.run([str(part) for part in command], cwd=ROOT, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return next(iter(result.stdout.splitlines()), "").strip() if result.returncode == 0 else ""


def field_of(file: str, name: str) -> str:
    lines = pathlib.Path(file).read_text().splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), "?")


def processor() -> str:
    return f"{os.cpu_count()} × {field_of('/proc/cpuinfo', 'model name')}"


def machine(load: str) -> list[tuple[str, str]]:
    system = platform.freedesktop_os_release().get("PRETTY_NAME", "?")
    return [("processors", processor()), ("memory", f"{int(field_of('/proc/meminfo', 'MemTotal').split()[0]) / 2**20:.1f} GiB"),
            ("kernel", f"{platform.system()} {platform.release()}"), ("system", system),
            ("load before the run (1, 5, 15 minutes)", load)]


def versions(bench) -> list[tuple[str, str]]:
    commit = first_line("git", "rev-parse", "--short=12", "HEAD")
    changed = first_line("git", "status", "--porcelain", "--untracked-files=no")
    martlet = first_line(MARTLET, "--version")
    found = [
        ("martlet", ", ".join(filter(None, (martlet, commit and f"the tree at {commit}{' with changes' if changed else ''}")))),
        ("Swift", first_line("swift", "--version")),
        ("RabbitMQ", first_line("dpkg-query", "-W", "-f", "${Version}", "rabbitmq-server")),
        ("PostgreSQL", first_line("psql", "-XAtq", "-d", bench.run.environment["MARTLET_TEST_DATABASE_URL"], "-c", "SHOW server_version")),
        ("OpenSSL", first_line("openssl", "version")),
        ("h2load", first_line("h2load", "--version")),
        ("Python", platform.python_version()),
    ]
    return [(name, version or "unknown") for name, version in found]


def purposes() -> dict[str, str]:
    """Returns what each part shows, from the table in docs/benchmarks.md."""
    text = (ROOT / "docs" / "benchmarks.md").read_text()
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", plain, re.MULTILINE))


class Page:
    def __init__(self, bench, parts: list[str]):
        self.bench, self.parts = bench, parts
        self.began = datetime.datetime.now(datetime.timezone.utc)
        self.load = ", ".join(f"{value:.1f}" for value in os.getloadavg())

    def tables(self) -> list[Table]:
        """Returns a table with the columns HEAD for each part that has rows, and then the tables with other columns."""
        parts = dict.fromkeys(part for part, _ in self.bench.rows)
        tables = [Table(name, HEAD, [cells for part, cells in self.bench.rows if part == name]) for name in parts]
        return tables + self.bench.tables

    def show(self) -> None:
        common = [cells for _, cells in self.bench.rows]
        for table in ([Table("", HEAD, common)] if common else []) + self.bench.tables:
            rows = [table.head, *table.rows]
            widths = [max(len(row[column]) for row in rows) for column in range(len(table.head))]
            print()
            for row in rows:
                print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
            for note in table.notes:
                print("\n  " + note)
        print(f"\n  medians of {self.bench.rounds} rounds on {processor()}\n")

    # The page

    def write(self, file: pathlib.Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        for path, text in ((file, self.as_html()), (file.with_suffix(".md"), self.as_markdown())):
            beside = path.with_name(path.name + ".new")
            beside.write_text(text)
            beside.replace(path)

    @functools.cached_property
    def found(self) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        return machine(self.load), versions(self.bench)

    def about(self) -> list[tuple[str, list[tuple[str, str]]]]:
        return [("Machine", self.found[0]), ("Versions", self.found[1] + self.clients())]

    def clients(self) -> list[tuple[str, str]]:
        names = [row[1] for table in self.bench.tables if table.part == "peers" for row in table.rows]
        return [("other clients", ", ".join(name for name in dict.fromkeys(names) if not name.startswith("Martlet")))] if names else []

    def summary(self) -> str:
        missing = [part for part in self.parts if part not in {table.part for table in self.tables()}]
        return (f"{self.began:%d %B %Y, %H:%M} UTC; medians of {self.bench.rounds} round{'s' if self.bench.rounds > 1 else ''}"
                f"{', with a tenth of the usual pushes in send, fcm and peers' if self.bench.quick else ''}. Broker, database, simulators, senders and "
                "the measuring programs share this machine, so the figures of this page are comparable only with each other."
                f"{' Not measured, or not yet: ' + ', '.join(missing) + '.' if missing else ''}")

    def again(self) -> str:
        return f"make build\n{shlex.join(['Tests/Benchmarks/run', *sys.argv[1:]])}"

    def as_html(self) -> str:
        shown = purposes()
        body = [f"<h1>Martlet: what a push costs</h1>\n<p class=quiet>{html.escape(self.summary())}</p>"]
        for table in self.tables():
            body.append(f"<h2>{table.part}</h2>\n<p>{in_html(sentence(shown.get(table.part, '')))}</p>\n{grid(table.head, table.rows)}")
            if table.notes:
                body.append("<ul>" + "".join(f"<li>{html.escape(note)}</li>\n" for note in table.notes) + "</ul>")
        for title, facts in self.about():
            body.append(f"<h2>{title}</h2>\n{grid((), facts)}")
        body.append(f"<h2>Again</h2>\n<pre>{html.escape(self.again())}</pre>")
        return ('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
                '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
                f"<title>Martlet: what a push costs</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
                + "\n".join(body) + "\n</body>\n</html>\n")

    def as_markdown(self) -> str:
        shown = purposes()
        pieces = [f"# Martlet: what a push costs\n\n{self.summary()}"]
        for table in self.tables():
            pieces.append(f"## {table.part}\n\n{sentence(shown.get(table.part, ''))}\n\n{in_markdown(table.head, table.rows)}")
            pieces += ["\n".join(f"- {note}" for note in table.notes)] if table.notes else []
        for title, facts in self.about():
            pieces.append(f"## {title}\n\n{in_markdown(('', ''), facts)}")
        pieces.append(f"## Again\n\n```sh\n{self.again()}\n```")
        return "\n\n".join(pieces) + "\n"


def sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text and not text.endswith(".") else text


def in_html(text: str) -> str:
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text))


def grid(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    def cell(number: int, text: str) -> str:
        # A row that begins with spaces belongs to the row above it.
        kind = ' class="inner"' if text.startswith(" ") else ' class="bad"' if text == "NO" or text.startswith("not measured") else ""
        return f"<td{kind}>{html.escape(text.strip())}</td>" if number else f'<th scope="row"{kind}>{html.escape(text.strip())}</th>'

    top = "<thead><tr>" + "".join(f'<th scope="col">{html.escape(text)}</th>' for text in head) + "</tr></thead>\n" if head else ""
    lines = "".join("<tr>" + "".join(cell(number, text) for number, text in enumerate(row)) + "</tr>\n" for row in rows)
    return f'<div class="wide" tabindex="0"><table>{top}<tbody>\n{lines}</tbody></table></div>'


def in_markdown(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    def line(cells) -> str:
        return "| " + " | ".join(map(cell, cells)) + " |"

    def cell(text: str) -> str:
        inner = "&nbsp;&nbsp;" if text.startswith(" ") else ""
        return inner + html.escape(text.strip(), quote=False).replace("|", "\\|")

    return "\n".join([line(head), "|" + "---|" * len(head), *map(line, rows)])
