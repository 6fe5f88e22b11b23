"""Rules about words: a sentence of a document and a comment name their subject, and a table cell holds facts, not prose."""
import pathlib
import re

from . import documents

# Openings that send a reader back to the sentence before.
OPENING = re.compile(r"(?:It|It's|Its|One|Who|Whoever|What|Whatever|That|Those|Of|By|Without|None|Nobody|Nothing)\b")
# A value and a colon instead of a sentence.
VALUE = re.compile(r"`?(?:nil|true|false|none|\d)`?: ")
COMMENT = re.compile(r"\s*(///?) ?(.*)")
FIELD = re.compile(r"\s*- (?:Parameter \w+|Returns|Throws|\w+): ?(.*)")
SENTENCE_END = re.compile(r"(?<=[.!?]) +(?=[A-Z`\[])")
MOST_WORDS_IN_A_CELL = 30
FOLDERS = ("Sources", "Tests")


def opens_badly(text: str) -> bool:
    return bool(OPENING.match(text) or VALUE.match(text))


def comments(root: pathlib.Path) -> list[str]:
    """Checks the first words of comment blocks and of the fields of documentation comments in Swift code."""
    problems = []
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*.swift")):
            inside = False
            for number, line in enumerate(file.read_text().splitlines(), 1):
                comment = COMMENT.fullmatch(line)
                if comment:
                    field = FIELD.match(comment[2]) if comment[1] == "///" else None
                    if (not inside or field) and opens_badly(field[1] if field else comment[2]):
                        problems.append(f"{file.relative_to(root)}:{number}: a comment opens with: {comment[2][:60]}")
                inside = comment is not None
    return problems


def paragraphs(text: str) -> list[tuple[int, str]]:
    """Returns the paragraphs, list items, headings and table cells of a document without code, with their line numbers."""
    text = documents.FENCE.sub(lambda code: "\n" * code[0].count("\n"), text)
    found: list[tuple[int, str]] = []
    continues = False
    for number, line in enumerate(text.splitlines(), 1):
        item = re.match(r"\s*(?:[-*>] |\d+\. |#+ )+(.*)", line)
        if line.lstrip().startswith("|"):
            found += [(number, cell.strip()) for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
            continues = False
        elif item:
            found.append((number, item[1]))
            continues = not line.lstrip().startswith("#")
        elif line.strip() and continues:
            start, before = found.pop()
            found.append((start, f"{before} {line.strip()}"))
        elif line.strip():
            found.append((number, line.strip()))
            continues = True
        else:
            continues = False
    return found


def plain(text: str) -> str:
    """Returns `text` without links' addresses and emphasis."""
    return re.sub(r"(?<![\w`])[*_]+|[*]+", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text))


def sentences(root: pathlib.Path) -> list[str]:
    """Checks the first words of sentences in README.md and docs."""
    return [f"{file.relative_to(root)}:{number}: a sentence opens with: {sentence[:60]}"
            for file in documents.markdown_files(root) for number, text in paragraphs(file.read_text())
            for sentence in SENTENCE_END.split(plain(text)) if opens_badly(sentence)]


def cells(root: pathlib.Path) -> list[str]:
    """Checks that no table cell in README.md and docs is a paragraph."""
    problems = []
    for file in documents.markdown_files(root):
        for number, line in enumerate(documents.FENCE.sub(lambda code: "\n" * code[0].count("\n"), file.read_text()).splitlines(), 1):
            for cell in re.split(r"(?<!\\)\|", line.strip().strip("|")) if line.lstrip().startswith("|") else []:
                words = len([word for word in plain(cell).split() if re.search(r"\w", word)])
                if words > MOST_WORDS_IN_A_CELL:
                    problems.append(f"{file.relative_to(root)}:{number}: a table cell has {words} words, of at most {MOST_WORDS_IN_A_CELL}")
    return problems
