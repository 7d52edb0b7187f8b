"""Reads the interface's C headers: every type, constant and text with the comment directly above it.

It knows the regular form that the headers keep to and nothing more of C: what it does not know is an error with its line, so
that nothing can be left out unseen. Numbers, sizes and offsets are the compiler's business (layout.py).
"""
import dataclasses
import pathlib
import re

WORDS = ("MORTISE_NOEXCEPT", "MORTISE_EXTERN_C", "MORTISE_EXPORT")
TOKEN = re.compile(r'[A-Za-z_]\w*|0[xX][0-9a-fA-F]+\w*|\d+\w*|"(?:\\.|[^"\\])*"|<<|>>|\.\.\.|[^\s\w]')


class HeaderError(Exception):
    """A header that is not in the regular form."""


@dataclasses.dataclass
class Parameter:
    type: str
    name: str


@dataclasses.dataclass
class Member:
    """A field of a struct. A function pointer has `result` and `parameters`, a union has `members`."""
    name: str
    type: str
    comment: list[str]
    result: str | None = None
    parameters: list[Parameter] = dataclasses.field(default_factory=list)
    members: list["Member"] = dataclasses.field(default_factory=list)

    @property
    def is_function(self):
        return self.result is not None


@dataclasses.dataclass
class Struct:
    name: str
    comment: list[str]
    members: list[Member]

    @property
    def growth(self):
        """FROZEN or GROWABLE, as its comment says; empty if it says neither or both."""
        said = {word for word in ("FROZEN", "GROWABLE") if re.search(rf"\b{word}\b", "\n".join(self.comment))}
        return said.pop() if len(said) == 1 else ""


@dataclasses.dataclass
class Alias:
    """A typedef that is no struct, or a function that is declared."""
    name: str
    type: str
    comment: list[str]
    result: str | None = None
    parameters: list[Parameter] = dataclasses.field(default_factory=list)

    @property
    def is_function(self):
        return self.result is not None


@dataclasses.dataclass
class Constant:
    name: str
    comment: list[str]


@dataclasses.dataclass
class Enum:
    comment: list[str]
    constants: list[Constant]


@dataclasses.dataclass
class Macro:
    """A #define without parameters and with a value: a text or a number."""
    name: str
    value: str
    comment: list[str]

    @property
    def is_text(self):
        return self.value.startswith('"')


@dataclasses.dataclass
class Header:
    name: str
    comment: list[str]
    items: list[Struct | Alias | Enum | Macro]

    def of(self, kind):
        return [item for item in self.items if isinstance(item, kind)]


def spell(tokens):
    """The tokens of a type as text: `const mortise_str_t*`, `int64_t[16]`."""
    text = ""
    for token in tokens:
        text += token if not text or token in "*[]" or text[-1] == "[" else " " + token
    return text


class _Reader:
    """One header: lines to tokens with the comments between them, then declarations from the tokens."""

    def __init__(self, name, text):
        self.name, self.tokens, self.at = name, [], 0
        self.comment = self._lex(text)

    def _lex(self, text):
        """Fills tokens with (kind, text, line); returns the comment at the top of the file."""
        top, logical = [], text.replace("\\\n", " \x00")
        number = 0
        for line in logical.split("\n"):
            number += 1 + line.count("\x00")
            line = line.replace("\x00", " ").rstrip()
            stripped = line.strip()
            if stripped.startswith("//"):
                self.tokens.append(("comment", stripped[2:].removeprefix(" "), number))
            elif not stripped:
                self.tokens.append(("blank", "", number))
            elif stripped.startswith("#"):
                if stripped.startswith("#pragma once"):
                    top = [words for kind, words, _ in self.tokens if kind == "comment"]
                    self.tokens = []
                self.tokens.append(("directive", stripped, number))
            else:
                code = re.sub(r'("(?:\\.|[^"\\])*")|//.*', lambda m: m.group(1) or "", line)
                self.tokens += [("code", token, number) for token in TOKEN.findall(code) if token not in WORDS]
        return top

    def fail(self, what, back=1):
        """The culprit is the last token that was taken, or with back=0 the next one."""
        line = self.tokens[min(max(self.at - back, 0), len(self.tokens) - 1)][2]
        raise HeaderError(f"{self.name}:{line}: {what}")

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "", 0)

    def comment_above(self):
        """Takes comments and blank lines; what stands directly above the next token is its comment."""
        comment = []
        while self.peek()[0] in ("comment", "blank"):
            kind, text, _ = self.tokens[self.at]
            comment = comment + [text] if kind == "comment" else []
            self.at += 1
        return comment

    def take(self, wanted=None):
        """The next token of code."""
        kind, text, _ = self.peek()
        if kind != "code" or (wanted is not None and text != wanted):
            self.fail(f"found '{text}' instead of {wanted or 'code'}", back=0)
        self.at += 1
        return text

    def until(self, end):
        """Tokens of code up to `end` outside of brackets, which is taken too."""
        found, depth = [], 0
        while True:
            token = self.take()
            if depth == 0 and token == end:
                return found
            depth += (token in "([{") - (token in ")]}")
            found.append(token)

    def read(self):
        items = []
        while True:
            comment = self.comment_above()
            kind, text, _ = self.peek()
            if kind == "end":
                return Header(self.name, self.comment, items)
            item = self._directive(comment) if kind == "directive" else self._declaration(comment)
            if item is not None:
                items.append(item)

    def _directive(self, comment):
        text = self.tokens[self.at][1]
        self.at += 1
        found = re.fullmatch(r'#define (\w+) ("[^"]*"|\d+\w*)', text)
        return Macro(found.group(1), found.group(2), comment) if found else None

    def _declaration(self, comment):
        first = self.take()
        if first == "enum":
            return self._enum(comment)
        if first == "struct":
            self.until(";")  # declared ahead
            return None
        if first != "typedef":
            return self._alias([first] + self.until(";"), comment)
        ahead = [token for kind, token, _ in self.tokens[self.at:self.at + 3] if kind == "code"]
        if ahead[0] == "struct" and ahead[2:] == ["{"]:
            self.at += 3
            members = self._members()
            return Struct(self.until(";")[0], comment, members)
        return self._alias(self.until(";"), comment)

    def _alias(self, tokens, comment):
        if tokens[0] == "struct":
            return Alias(tokens[-1], f"struct {tokens[1]}", comment)  # opaque
        plain = self._field(tokens, comment)
        return Alias(plain.name, plain.type, comment, plain.result, plain.parameters)

    def _enum(self, comment):
        self.take("{")
        constants = []
        while True:
            above = self.comment_above()
            name = self.take()
            if name == "}":
                self.take(";")
                return Enum(comment, constants)
            constants.append(Constant(name, above))
            self.take("=")
            self.until(",")

    def _members(self):
        members = []
        while True:
            above = self.comment_above()
            if self.peek()[1] == "}":
                self.take()
                return members
            if self.peek()[1] in ("union", "struct") and self.tokens[self.at + 1][1] == "{":
                kind = self.take()
                self.take("{")
                inner = self._members()
                members.append(Member(self.until(";")[0], kind, above, members=inner))
            else:
                members.append(self._field(self.until(";"), above))

    def _field(self, tokens, comment):
        """A name with its type: `uint64_t len`, `int64_t shape[16]`, `void (*end)(void* self)`, `int f(void)`."""
        if "(" not in tokens:
            kind, name = self._named(tokens)
            return Member(name, kind, comment)
        opening = tokens.index("(")
        if tokens[opening + 1] == "*":  # a pointer
            result, name, rest = tokens[:opening], tokens[opening + 2], tokens[opening + 4:]
        else:
            result, name, rest = tokens[:opening - 1], tokens[opening - 1], tokens[opening:]
        if not rest or rest[0] != "(" or rest[-1] != ")":
            self.fail(f"'{' '.join(tokens)}' is no declaration that is known here")
        parameters = [Parameter(*self._named(part)) for part in _split(rest[1:-1]) if part != ["void"]]
        types = ", ".join(p.type for p in parameters) or "void"
        return Member(name, f"{spell(result)} (*)({types})", comment, spell(result), parameters)

    def _named(self, tokens):
        """Type and name of `const char* ptr` or `int64_t shape[16]`."""
        if "(" in tokens:
            inner = self._field(tokens, [])
            return inner.type, inner.name
        end = tokens.index("[") if "[" in tokens else len(tokens)
        if end < 2 or not re.match(r"[A-Za-z_]", tokens[end - 1]):
            self.fail(f"'{' '.join(tokens)}' has no name")
        return spell(tokens[:end - 1] + tokens[end:]), tokens[end - 1]


def _split(tokens):
    """Parts between commas outside of brackets."""
    parts, depth = [[]], 0
    for token in tokens:
        depth += (token == "(") - (token == ")")
        if token == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def read_header(name, text):
    return _Reader(name, text).read()


def read_headers(folder):
    """All headers of a folder, in the order of their names."""
    folder = pathlib.Path(folder)
    headers = [read_header(path.name, path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.h"))]
    if not headers:
        raise HeaderError(f"{folder}: no headers here")
    return headers
