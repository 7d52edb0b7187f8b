"""The reference of the interface in Markdown: one page a header, made of its declarations and their comments."""
import re

from header_reader import Alias, Enum, Macro, Struct

NOTICE = "<!-- Made from plugin_api/include/mortise/{} by plugin_api/tools/abi.py reference. -->\n"
RULES = "../../plugin_api/ABI.md"
TAG = re.compile(r"\[\w+-thread\b.*\]$")


def pages(headers, layout):
    """The text of each page by its name."""
    writer = _Writer(headers, layout)
    named = {_page(header): writer.page(header) for header in headers if header.items}
    return {"README.md": writer.index(), **named}


def _page(header):
    return header.name.removesuffix(".h") + ".md"


def _shared_start(enum):
    """MORTISE_LOG_* for constants that begin so, else the first and the last of them."""
    names = [constant.name for constant in enum.constants]
    shared = []
    for words in zip(*(name.split("_") for name in names)):
        if len(set(words)) > 1:
            break
        shared.append(words[0])
    if len(names) == 1:
        return names[0]
    return "_".join(shared + ["*"]) if len(shared) > 1 else f"{names[0]} to {names[-1]}"


def _headings(header):
    """Each item of a page with what stands over it. The type of an enum's numbers is part of the enum."""
    found = []
    for item in header.items:
        if isinstance(item, Enum):
            found.append((item, _shared_start(item)))
        elif isinstance(item, Alias) and not item.comment and found and isinstance(found[-1][0], Enum):
            found[-1] = (found[-1][0], f"{item.name}, {found[-1][1]}")
        else:
            found.append((item, "Names and numbers" if isinstance(item, Macro) else item.name))
    return found


def _anchor(heading):
    return re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-"))


class _Writer:
    def __init__(self, headers, layout):
        self.headers, self.layout = headers, layout
        self.places = {}  # a name: page and anchor
        for header in headers:
            for item, heading in _headings(header):
                place = f"{_page(header)}#{_anchor(heading)}"
                names = [constant.name for constant in item.constants] if isinstance(item, Enum) else [item.name]
                self.places |= dict.fromkeys(names + re.findall(r"mortise_\w+", heading), place)
        self.functions = {a.name for h in headers for a in h.of(Alias) if a.is_function}

    # --- words ---

    def prose(self, text):
        """Plain words of a comment; names become code and links."""
        def mark(found):
            word = found[0]
            if word in self.places:
                return f"[`{word}`]({self.places[word]})"
            if word.endswith(".h"):
                known = any(header.name == word and header.items for header in self.headers)
                return f"[{word}]({word.removesuffix('.h')}.md)" if known else word
            return f"`{word}`"
        parts = re.split(r"(`[^`]*`)", text)
        for i in range(0, len(parts), 2):
            plain = re.sub(r"\b(MORTISE_\w+\*|\w+\.h\b|\w+->\w+|\*\w+|[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+\b)", mark,
                           re.sub(r"([<|])", r"\\\1", parts[i]))
            parts[i] = re.sub(r"(?<![`*])\*(?![`*])", r"\\*", plain)
        return "".join(parts)

    def type(self, text):
        linked = re.sub(r"\w+", lambda m: f"[{m[0]}]({self.places[m[0]]})" if m[0] in self.places else m[0], text)
        return linked.replace("*", "\\*").replace("_", "\\_") if linked == text else linked.replace("*", "\\*")

    def comment(self, lines):
        """A comment as Markdown: paragraphs, lists of `name  what it is`, numbered lists, examples, thread tags."""
        out, kind = [], None
        for line in lines:
            item = re.fullmatch(r"  (\S+)  +(\S.*)", line)
            number = re.fullmatch(r"  (\d+\.) (.*)", line)
            if TAG.match(line):
                out += ["", "Threads: " + self.prose(" ".join(re.sub(r"[\[\]]", "`", line).split()))]
                kind = "tag"
            elif not line.strip():
                out, kind = out + [""], None
            elif number or (item and kind != "code"):
                out += [] if kind == "list" else [""]
                out.append(f"{number[1]} {self.prose(number[2])}" if number else f"- `{item[1]}`: {self.prose(item[2])}")
                kind = "list"
            elif line.startswith("  ") and kind == "list":
                out[-1] += " " + self.prose(line.strip())
            elif line.startswith("  "):
                out += ([] if kind == "code" else [""]) + ["    " + line]
                kind = "code"
            else:
                out += ([] if kind == "text" else [""]) + [self.prose(line)]
                kind = "text"
        return "\n".join(out).strip("\n")

    def cell(self, lines):
        """A comment in a table."""
        return self.prose(" ".join(" ".join(lines).split()))

    # --- declarations ---

    def signature(self, name, function):
        """As a function would be declared; parameters go on where a line is full."""
        lines = [f"{function.result} {name}("]
        indent = len(lines[0])
        parameters = [f"{p.type} {p.name}" for p in function.parameters] or ["void"]
        for text in [f"{p}, " for p in parameters[:-1]] + [f"{parameters[-1]});"]:
            if len(lines[-1]) + len(text.rstrip()) > 100:
                lines.append(" " * indent)
            lines[-1] += text
        return "\n".join(line.rstrip() for line in lines)

    def code(self, lines):
        return "```c\n" + "\n".join(lines) + "\n```\n"

    def struct(self, struct):
        facts = self.layout.structs[struct.name]
        said = re.sub(r"\b(FROZEN|GROWABLE)\.( |$)", "", "\n".join(struct.comment), flags=re.MULTILINE)
        out = [f"## {struct.name}\n", self.comment(said.split("\n")) + "\n",
               f"[{struct.growth}]({RULES}#rules-of-growth), {facts.size} bytes, aligned to {facts.align}.\n"]
        # A table of functions says nothing with its size and padding members.
        plain = [f for f in facts.fields if not self._is_function(struct, f.name)]
        if any(f.name not in ("struct_size", "reserved") for f in plain):
            out.append(self._fields(struct, plain))
        return "\n".join(out) + "\n" + "\n".join(self._functions(struct))

    def _is_function(self, struct, name):
        return any(member.name == name and member.is_function for member in struct.members)

    def _fields(self, struct, fields):
        out = ["| offset | member | type | meaning |", "| ---: | --- | --- | --- |"]
        comments, before = dict(_comments(struct.members)), None
        for field in fields:
            meaning = self.cell(comments[field.name])
            if not meaning and before and field.type == before.type and field.type in self.functions:
                meaning = f"with `{before.name}`"
            out.append(f"| {field.offset} | `{field.name}` | {self.type(field.type)} | {meaning} |")
            before = field
        return "\n".join(out) + "\n"

    def _functions(self, struct):
        """One section a function; neighbours that share a comment share a section."""
        groups = []
        for member in struct.members:
            if member.is_function and (member.comment or not groups):
                groups.append([member])
            elif member.is_function:
                groups[-1].append(member)
        for group in groups:
            yield "### " + ", ".join(member.name for member in group) + "\n"
            yield self.code([self.signature(member.name, member) for member in group])
            yield self.comment(group[0].comment) + "\n"

    def alias(self, alias):
        if alias.is_function:
            text = self.code([self.signature(alias.name, alias)])
        else:
            opaque = alias.type.startswith("struct ")
            text = "Opaque.\n" if opaque else f"The same as {self.type(alias.type)}.\n"
        return f"## {alias.name}\n\n{text}\n{self.comment(alias.comment)}\n"

    def enum(self, enum, heading):
        rows = [f"| `{c.name}` | {self.layout.constants[c.name]} | {self.cell(c.comment)} |" for c in enum.constants]
        return "\n".join([f"## {heading}\n".replace("*", "\\*"), self.comment(enum.comment) + "\n",
                          "| constant | number | meaning |", "| --- | ---: | --- |", *rows]) + "\n"

    def macros(self, macros):
        rows = [f"| `{m.name}` | `{m.value}` | {self.cell(m.comment)} |" for m in macros]
        return "\n".join(["## Names and numbers\n", "| name | value | meaning |", "| --- | --- | --- |", *rows]) + "\n"

    # --- pages ---

    def page(self, header):
        out = [NOTICE.format(header.name), f"# {header.name}\n", self.comment(header.comment) + "\n",
               f"`#include <mortise/{header.name}>` · [all headers](README.md) · [the rules]({RULES})\n"]
        if header.of(Macro):
            out.append(self.macros(header.of(Macro)))
        for item, heading in _headings(header):
            if isinstance(item, Enum):
                out.append(self.enum(item, heading))
            elif not isinstance(item, Macro):
                out.append(self.struct(item) if isinstance(item, Struct) else self.alias(item))
        return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).rstrip("\n") + "\n"

    def index(self):
        services, core = [], []
        for header in self.headers:
            summary = self.cell(header.comment[:1])
            ids = [f"`{m.value[1:-1]}`" for m in header.of(Macro) if re.fullmatch(r'"[\w.]+/\d+"', m.value)]
            if ids:
                services.append(f"| [{header.name}]({_page(header)}) | {', '.join(ids)} | {summary} |")
            elif header.items:
                core.append(f"| [{header.name}]({_page(header)}) | {summary} |")
        types = sorted(name for name in self.places if name.startswith("mortise_"))
        return "\n".join([
            NOTICE.format(""), "# Reference of the plugin interface\n",
            f"What the C headers declare, with their comments. [ABI.md]({RULES}) has the rules: what may change, threads,",
            "errors, ownership, what unload does.\n", "## Core\n", "| header | what it is |", "| --- | --- |", *core, "",
            "## Services\n", "A plugin asks for each by its id (`get_service`, [plugin.h](plugin.md)).\n",
            "| header | id | what it is |", "| --- | --- | --- |", *services, "", "## Types\n",
            ", ".join(f"[`{name}`]({self.places[name]})" for name in types)]) + "\n"


def _comments(members, prefix=""):
    for member in members:
        yield prefix + member.name, member.comment
        yield from _comments(member.members, f"{prefix}{member.name}.")
