# SPDX-License-Identifier: Apache-2.0
"""Reads string literals of Swift, with their interpolations and the concatenations of several."""

import re

SIMPLE = {"r": "\r", "n": "\n", "t": "\t", '"': '"', "'": "'", "\\": "\\", "0": "\0"}


def literal(text, at):
    """Reads the literal that begins at a quotation mark: its parts (texts, and 1-tuples with an expression), and its end."""
    parts, now, place = [], "", at + 1
    while text[place] != '"':
        if text[place] != "\\":
            now += text[place]
            place += 1
        elif text[place + 1] == "(":
            end = closing(text, place + 1)
            parts += [now, (text[place + 2:end],)]
            now, place = "", end + 1
        elif text[place + 1] == "u":
            end = text.index("}", place)
            now += chr(int(text[place + 3:end], 16))
            place = end + 1
        else:
            now += SIMPLE[text[place + 1]]
            place += 2
    return parts + [now], place + 1


def closing(text, at):
    """Returns the place of the parenthesis that closes the one at this place."""
    depth, place = 0, at
    while True:
        if text[place] == '"':
            place = literal(text, place)[1]
            continue
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place
        place += 1


def joined(text, at):
    """Reads literals joined by `+`: the text with {1}, {2} … for values, the values, and the end."""
    key, values, place = "", [], at
    while True:
        parts, place = literal(text, place)
        for part in parts:
            if isinstance(part, tuple):
                values.append(part[0])
                key += "{%d}" % len(values)
            else:
                key += part
        more = re.match(r'\s*\+\s*(?=")', text[place:])
        if not more:
            return key, values, place
        place += more.end()


def literals(text):
    """Yields the begin, end, text and values of each literal or concatenation outside of comments and of other literals."""
    place = 0
    while place < len(text):
        if text.startswith("//", place):
            place = text.index("\n", place)
        elif text.startswith('#/', place):
            place = text.index('/#', place) + 2
        elif text.startswith('"""', place):
            place = text.index('"""', place + 3) + 3
        elif text[place] == '"':
            begin = place
            key, values, place = joined(text, begin)
            yield begin, place, key, values
        else:
            place += 1
