"""The layout of the interface: what a built plugin relies on, measured by the compiler, kept as text, compared by name.

The kept form, one fact a line:
    struct mortise_str_t FROZEN size 16 align 8
      0 8 8 ptr const char*                        offset, size, alignment, name, type
    constant MORTISE_OK 0
    text MORTISE_LOG "mortise.log/1"
    type mortise_status_t int32_t
"""
import dataclasses
import pathlib
import re
import subprocess
import tempfile

from header_reader import Alias, Enum, Macro, Struct

UNKEPT = ("MORTISE_ABI_MAJOR", "MORTISE_ABI_MINOR", "MORTISE_VERSION")  # what changes with each version


@dataclasses.dataclass(frozen=True)
class Field:
    offset: int
    size: int
    align: int
    name: str
    type: str

    def __str__(self):
        return f"{self.offset} {self.size} {self.align} {self.name} {self.type}"


@dataclasses.dataclass
class StructLayout:
    growth: str
    size: int
    align: int
    fields: list[Field]


@dataclasses.dataclass
class Layout:
    structs: dict[str, StructLayout] = dataclasses.field(default_factory=dict)
    constants: dict[str, str] = dataclasses.field(default_factory=dict)
    texts: dict[str, str] = dataclasses.field(default_factory=dict)
    types: dict[str, str] = dataclasses.field(default_factory=dict)


def to_text(layout):
    lines = []
    for name, struct in layout.structs.items():
        lines.append(f"struct {name} {struct.growth} size {struct.size} align {struct.align}")
        lines += [f"  {field}" for field in struct.fields]
    for word, facts in (("constant", layout.constants), ("text", layout.texts), ("type", layout.types)):
        lines += [f"{word} {name} {fact}" for name, fact in facts.items()]
    return "\n".join(lines) + "\n"


def from_text(text):
    layout, fields = Layout(), None
    facts = {"constant": layout.constants, "text": layout.texts, "type": layout.types}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if found := re.fullmatch(r"  (\d+) (\d+) (\d+) (\S+) (.+)", line):
            fields.append(Field(*map(int, found.groups()[:3]), *found.groups()[3:]))
        elif found := re.fullmatch(r"struct (\w+) (\w+) size (\d+) align (\d+)", line):
            fields = []
            layout.structs[found[1]] = StructLayout(found[2], int(found[3]), int(found[4]), fields)
        elif (found := re.fullmatch(r"(\w+) (\w+) (.+)", line)) and found[1] in facts:
            facts[found[1]][found[2]] = found[3]
        else:
            raise ValueError(f"line {number} is no line of a layout: {line}")
    return layout


def _flat(members, prefix=""):
    """Fields with those of unions behind the union itself: as, as.integer, as.number."""
    for member in members:
        yield prefix + member.name, member.type
        yield from _flat(member.members, f"{prefix}{member.name}.")


def _probe(headers):
    """A C11 program that prints what only the compiler knows; it does not compile if a type is not what was read."""
    lines = ["#include <stddef.h>", "#include <stdio.h>", *(f"#include <mortise/{h.name}>" for h in headers),
             "int main(void) {"]
    for header in headers:
        for struct in header.of(Struct):
            lines.append(f'printf("struct {struct.name} %zu %zu\\n", sizeof({struct.name}), _Alignof({struct.name}));')
            for name, kind in _flat(struct.members):
                place = f"(({struct.name}*)0)->{name}"
                if kind not in ("union", "struct"):
                    lines.append(f'_Static_assert(_Generic(&{place}, __typeof__({kind})*: 1, default: 0), "{name}");')
                lines.append(f'printf("field %zu %zu %zu {name}\\n", offsetof({struct.name}, {name}), sizeof({place}), '
                             f"_Alignof(__typeof__({place})));")
        for enum in header.of(Enum):
            lines += [f'printf("constant {c.name} %lld\\n", (long long){c.name});' for c in enum.constants]
        for macro in header.of(Macro):
            if not macro.is_text:
                lines.append(f'printf("constant {macro.name} %lld\\n", (long long)({macro.name}));')
    return "\n".join(lines + ["return 0;", "}", ""])


def _run_probe(headers, include, compiler):
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "probe.c"), pathlib.Path(folder, "probe")
        source.write_text(_probe(headers), encoding="utf-8")
        subprocess.run([compiler, "-std=c11", f"-I{include}", source, "-o", program], check=True)
        return subprocess.run([program], check=True, capture_output=True, text=True).stdout


def measure(headers, include, compiler="cc"):
    """The layout of what was read from the folder mortise/ in `include`."""
    structs = {s.name: s for h in headers for s in h.of(Struct)}
    layout, types = Layout(), {}
    for line in _run_probe(headers, include, compiler).splitlines():
        word, *rest = line.split()
        if word == "struct":
            struct = structs[rest[0]]
            types = dict(_flat(struct.members))
            layout.structs[struct.name] = StructLayout(struct.growth, int(rest[1]), int(rest[2]), [])
        elif word == "field":
            layout.structs[struct.name].fields.append(Field(*map(int, rest[:3]), rest[3], types[rest[3]]))
        elif rest[0] not in UNKEPT:
            layout.constants[rest[0]] = rest[1]
    for header in headers:
        layout.texts |= {m.name: m.value for m in header.of(Macro) if m.is_text and m.name not in UNKEPT}
        layout.types |= {a.name: a.type for a in header.of(Alias)}
    return layout


def lint(headers, layout):
    """What is wrong in the present headers, whatever was before: one line a fault."""
    faults = []
    for name, struct in layout.structs.items():
        top = [field for field in struct.fields if "." not in field.name]
        if not struct.growth:
            faults.append(f"{name}: its comment has to say FROZEN or GROWABLE")
        if struct.growth == "GROWABLE" and str(top[0]) != "0 4 4 struct_size uint32_t":
            faults.append(f"{name}: a GROWABLE struct begins with uint32_t struct_size")
        ends = [0] + [field.offset + field.size for field in top]
        for end, begin, before in zip(ends, [f.offset for f in top] + [struct.size], [None] + top):
            if end != begin:
                faults.append(f"{name}: {begin - end} unnamed bytes behind {before.name}; name them reserved")
    for header in headers:
        for struct in header.of(Struct):
            if struct.name.startswith("mortise_host_"):
                faults += _untagged(struct)
    return faults


def _untagged(struct):
    """Functions of a service whose comment does not end in a thread tag. Neighbours may share one comment."""
    faults, comment = [], []
    for member in struct.members:
        comment = member.comment or comment
        if member.is_function and not re.match(r"\[\w+-thread", (comment or [""])[-1]):
            faults.append(f"{struct.name}.{member.name}: the last line of its comment has to be a thread tag")
    return faults


def compare(old, new):
    """What a plugin that was built with the old layout would stumble over in the new one: one line a fault."""
    faults = []
    for word, before, after in (("constant", old.constants, new.constants), ("text", old.texts, new.texts),
                                ("type", old.types, new.types)):
        for name, fact in before.items():
            if name not in after:
                faults.append(f"{word} {name} was removed (it was {fact})")
            elif after[name] != fact:
                faults.append(f"{word} {name} was {fact} and is {after[name]}")
    for name, struct in old.structs.items():
        if name in new.structs:
            faults += [f"struct {name}: {fault}" for fault in _compare_struct(struct, new.structs[name])]
        else:
            faults.append(f"struct {name} was removed")
    return faults


def _compare_struct(old, new):
    if old.growth != new.growth:
        return [f"was {old.growth} and is {new.growth}"]
    for index, field in enumerate(old.fields):
        if index == len(new.fields):
            return [f"member {field.name} was removed"]
        if field != new.fields[index]:
            return [_difference(field, new.fields[index], [f.name for f in new.fields])]
    added = new.fields[len(old.fields):]
    if old.growth == "FROZEN" and (added or new.size != old.size):
        return [f"is FROZEN and has a new member {added[0].name}" if added else f"is FROZEN and its size is {new.size}"]
    if added and added[0].offset < old.size:
        return [f"new member {added[0].name} lies in bytes that old writers count as theirs"]
    if new.size < old.size or new.align != old.align:
        return [f"was {old.size} bytes aligned to {old.align} and is {new.size} aligned to {new.align}"]
    return []


def _difference(old, new, names):
    if old.name == new.name:
        return f"member {old.name} was '{old}' and is '{new}' (offset, size, alignment, name, type)"
    what = "was moved" if old.name in names else "was removed or renamed"
    return f"member {old.name} {what}: {new.name} stands in its place"


def news(old, new):
    """What the old layout does not know yet: one line a fact."""
    found = [f"struct {name}" for name in new.structs if name not in old.structs]
    for name, struct in new.structs.items():
        if name in old.structs:
            known = len(old.structs[name].fields)
            found += [f"member {name}.{field.name}" for field in struct.fields[known:]]
    for word, before, after in (("constant", old.constants, new.constants), ("text", old.texts, new.texts),
                                ("type", old.types, new.types)):
        found += [f"{word} {name}" for name in after if name not in before]
    return found
