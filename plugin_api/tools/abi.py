#!/usr/bin/env python3
"""The plugin interface as its headers state it: its layout, what is kept of it, and its reference.

    abi.py layout               prints the layout that the compiler sees
    abi.py check [--update]     compares it with the kept one; --update adds what is new, and never takes a break
    abi.py reference [--check]  writes the reference from the headers' comments, or says whether it is up to date
    abi.py rust [--check]       the same for Rust's bindings, with bindgen

Exit status: 0 good, 1 a break or something out of date, 2 usage.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

import layout
import reference
from header_reader import HeaderError, Macro, read_headers

ROOT = pathlib.Path(__file__).resolve().parents[2]


def kept_file(headers):
    """One file a major version: the numbers of another one start anew."""
    major = next(m.value for h in headers for m in h.of(Macro) if m.name == "MORTISE_ABI_MAJOR")
    return ROOT / "plugin_api" / "abi" / f"v{major}.layout"


def say(faults):
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def check(args, headers, now):
    kept = args.kept or kept_file(headers)
    faults = layout.lint(headers, now)
    if faults:
        return say(faults)
    if not kept.is_file():
        if not args.update:
            return say([f"{kept} does not exist; abi.py check --update makes it"])
        old = layout.Layout()
    else:
        old = layout.from_text(kept.read_text(encoding="utf-8"))
    faults = layout.compare(old, now)
    new = layout.news(old, now)
    if faults or not args.update:
        return say(faults + [f"{what} is new; abi.py check --update adds it to {kept}" for what in new])
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(HEAD + layout.to_text(now), encoding="utf-8")
    print(f"{kept}: {len(new)} new")
    return 0


HEAD = """\
# What plugins that were built with this major version rely on, on 64-bit machines. Made by plugin_api/tools/abi.py check
# --update from the headers; ABI.md has the rules. A later list extends this one: a line that is here stays as it is.
"""


def write_reference(args, headers, now):
    pages = reference.pages(headers, now)
    present = {path.name: path.read_text(encoding="utf-8") for path in args.out.glob("*.md")}
    if args.check:
        names = [n for n in {**pages, **present} if pages.get(n) != present.get(n)]
        return say([f"{args.out / name} is not what the headers say; abi.py reference writes it" for name in names])
    args.out.mkdir(parents=True, exist_ok=True)
    for name in present.keys() - pages.keys():
        (args.out / name).unlink()
    for name, text in pages.items():
        (args.out / name).write_text(text, encoding="utf-8")
    print(f"{args.out}: {len(pages)} pages")
    return 0


BINDGEN = ["--allowlist-file", ".*/mortise/.*", "--no-layout-tests", "--no-prepend-enum-name", "--with-derive-default",
           "--raw-line", "// Made from plugin_api/include/mortise by plugin_api/tools/abi.py rust."]


def write_rust(args):
    """What bindgen makes of the headers. Comparing passes over white space and commas, which are the formatter's."""
    header = args.include / "mortise" / "mortise.h"
    made = subprocess.run([args.bindgen, *BINDGEN, header, "--", f"-I{args.include}"], check=True, capture_output=True,
                          text=True).stdout
    if not args.check:
        args.out.write_text(made, encoding="utf-8")
        return 0
    present = args.out.read_text(encoding="utf-8") if args.out.is_file() else ""
    same = re.sub(r"[\s,]", "", made) == re.sub(r"[\s,]", "", present)
    return 0 if same else say([f"{args.out} is not what the headers say; abi.py rust writes it"])


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--include", type=pathlib.Path, default=ROOT / "plugin_api" / "include",
                        help="the folder that has mortise/ (default: the one beside this tool)")
    parser.add_argument("--cc", default=os.environ.get("CC", "cc"), help="the C compiler (default: $CC, or cc)")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("layout", help="prints the layout")
    checking = commands.add_parser("check", help="compares the layout with the kept one")
    checking.add_argument("--kept", type=pathlib.Path, help="the kept list (default: plugin_api/abi/v<major>.layout)")
    checking.add_argument("--update", action="store_true", help="adds what is new, if nothing is broken")
    writing = commands.add_parser("reference", help="writes the reference")
    writing.add_argument("--out", type=pathlib.Path, default=ROOT / "docs" / "abi", help="its folder (default: docs/abi)")
    writing.add_argument("--check", action="store_true", help="only says whether it is up to date")
    binding = commands.add_parser("rust", help="writes Rust's bindings")
    binding.add_argument("--out", type=pathlib.Path, default=ROOT / "plugin_api" / "rust" / "mortise" / "sys.rs",
                         help="the file (default: plugin_api/rust/mortise/sys.rs)")
    binding.add_argument("--bindgen", default="bindgen", help="bindgen 0.60 (default: the one in PATH)")
    binding.add_argument("--check", action="store_true", help="only says whether it is up to date")
    args = parser.parse_args(arguments)
    if args.command == "rust":
        return write_rust(args)
    try:
        headers = read_headers(args.include / "mortise")
        now = layout.measure(headers, args.include, args.cc)
    except HeaderError as error:
        return say([str(error)])
    if args.command == "layout":
        print(layout.to_text(now), end="")
        return 0
    return check(args, headers, now) if args.command == "check" else write_reference(args, headers, now)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
