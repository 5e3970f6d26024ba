#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints org.geopublicist.Location1(5): the frame in packaging/man, filled with the comments of dbus/*.xml.

The first comment of a file describes its interface and begins with the name; so does the one before each member. A blank line
separates paragraphs, and a line without a full stop is a title. Deeper lines are a table: names, a D-Bus type or none, and a
text, separated by at least two spaces. Names and values are in backticks: members are known, and so are the keys and options of
the tables. Fails if a comment is missing or in another form.
"""

import pathlib
import re
import sys
import textwrap
import xml.etree.ElementTree as xml

TOP = pathlib.Path(__file__).resolve().parents[1]
NAME = "org.geopublicist.Location1"
EMITS = "annotation[@name='org.freedesktop.DBus.Property.EmitsChangedSignal']"


def paragraphs(comment, name):
    """Returns texts, titles, and tables of (names, type, text)."""
    if not comment or not comment.lstrip().startswith(f"{name}: "):
        sys.exit(f"{name}: its comment must begin with '{name}: '")
    blocks = []
    for paragraph in textwrap.dedent(comment).strip().removeprefix(f"{name}: ").split("\n\n"):
        text, *table = re.split(r"\n(?=  )", paragraph, maxsplit=1)
        blocks.append(" ".join(text.split()))
        if table:
            blocks.append(rows(table[0]))
    return blocks


def rows(table):
    found = []
    for line in table.splitlines():
        columns = re.fullmatch(r"  (\S.*?)(?:  +([a-z(){}]{1,9}))?  +(.*)", line)
        if columns:
            found.append(columns.groups(""))
        elif not found or not line.startswith("     "):
            sys.exit(f"Neither a row of a table nor its continuation: {line}")
        else:
            found[-1] = *found[-1][:2], f"{found[-1][2]} {line.strip()}"
    return found


class Interface:
    def __init__(self, path):
        text = path.read_text()
        node = xml.fromstring(text, xml.XMLParser(target=xml.TreeBuilder(insert_comments=True))).find("interface")
        self.name = node.get("name")
        self.introduction = paragraphs(re.search(r"<!--\n(.*?)-->", text, re.S)[1], self.name)
        self.members, comment = [], None
        for child in node:
            if child.tag is not xml.Comment:
                self.members.append((child, paragraphs(comment, child.get("name"))))
            comment = child.text if child.tag is xml.Comment else None


class Page:
    """Writes mdoc with the macro of each known name."""

    def __init__(self, interfaces):
        self.kinds, self.lines = {}, []
        for interface in interfaces:
            for blocks in [interface.introduction, *(blocks for _, blocks in interface.members)]:
                for names, kind, _ in (row for block in blocks if isinstance(block, list) for row in block):
                    for name in names.split(", ") if kind else []:
                        self.kinds[name] = "Va" if name[0].isupper() else "Cm"
            for member, _ in interface.members:
                self.kinds[member.get("name")] = "Va" if member.tag == "property" else "Fn"

    def macro(self, word, before="", after=""):
        if re.fullmatch(r"[\w.-]+\(\d\)", word):
            kind, word = "Xr", word[:-1].replace("(", " ")
        elif word.startswith("/"):
            kind = "Pa"
        else:
            kind = "Dv" if re.fullmatch("[A-Z_]+", word) else self.kinds.get(word, "Li")
        return " ".join([kind, *before, word, *after])

    def text(self, text):
        """Writes each macro and each sentence on a line of its own."""
        text = text[0].upper() + text[1:] + ("" if text[-1] in ".:" else ".")
        marked = re.sub(r" ?(\(?)`([^`]+)`([.,:;)]*)(?: |$)", lambda found: f"\n.{self.macro(*found.group(2, 1, 3))}\n", text)
        if "`" in marked:
            sys.exit(f"Not understood: {text}")
        self.lines += filter(None, re.sub(r"\. ", ".\n", marked).split("\n"))

    def table(self, rows):
        self.lines.append(".Bl -tag -width Ds")
        for names, kind, text in rows:
            heads = [f"{self.macro(name)}{f' Li {kind}' if kind else ''}" for name in names.split(", ")]
            self.lines.append(".It " + " , ".join(heads))
            self.text(text)
        self.lines.append(".El")

    def blocks(self, blocks):
        is_begun = False
        for block in blocks:
            if isinstance(block, list):
                self.table(block)
                continue
            is_title = block[-1] not in ".:"
            if is_title:
                self.lines.append(f".Ss {block}")
            else:
                self.lines += [".Pp"] if is_begun else []
                self.text(block)
            is_begun = not is_title

    def members(self, interface, tag, title):
        found = [(member, blocks) for member, blocks in interface.members if member.tag == tag]
        if found:
            self.lines += [f".Ss {title}", ".Bl -tag -width Ds"]
            for member, blocks in found:
                self.lines.append(".It " + (property_head(member) if tag == "property" else call_head(member)))
                self.blocks(blocks)
            self.lines.append(".El")


def call_head(member):
    arguments = [(a.get("direction", "in"), f'Fa "{a.get("type")} {a.get("name")}"') for a in member.iter("arg")]
    given = [f' {text[3:]}' for direction, text in arguments if direction == "in"]
    returned = [text for direction, text in arguments if direction == "out"]
    return f"Fn {member.get('name')}{''.join(given)}" + (rf" No \(-> {' , '.join(returned)}" if returned else "")


def property_head(member):
    access = {"read": "read", "readwrite": "read and write"}[member.get("access")]
    emits = {"const": "constant", "true": f"{access}, changes signalled", "false": access}
    return f"Va {member.get('name')} Li {member.get('type')} Pq {emits[member.find(EMITS).get('value')]}"


def main():
    interfaces = [Interface(TOP / f"dbus/{NAME}{part}.xml") for part in ("", ".Subscription", ".Almanac", ".Region")]
    page = Page(interfaces)
    for line in (TOP / f"packaging/man/{NAME}.5.in").read_text().splitlines():
        if line == '.\\" Introduction':
            page.blocks(interfaces[0].introduction[1:])
        elif line == '.\\" Interfaces':
            for interface in interfaces:
                page.lines.append(f".Sh THE INTERFACE {interface.name}")
                if interface is not interfaces[0]:
                    page.blocks(interface.introduction)
                page.members(interface, "method", "Methods")
                page.members(interface, "signal", "Signals")
                page.members(interface, "property", "Properties")
        else:
            page.lines.append(line)
    print("\n".join(page.lines))


main()
