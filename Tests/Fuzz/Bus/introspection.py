# SPDX-License-Identifier: Apache-2.0
"""Introspects a service's objects."""

import xml.etree.ElementTree as ElementTree

from wire import REPLY


class Interface:
    def __init__(self, element):
        self.name = element.get("name")
        self.methods = {
            method.get("name"): "".join(
                argument.get("type") for argument in method.iter("arg") if argument.get("direction", "in") == "in")
            for method in element.iter("method")}
        self.properties = {entry.get("name"): entry.get("type") for entry in element.iter("property")}
        self.signals = {
            signal.get("name"): "".join(argument.get("type") for argument in signal.iter("arg"))
            for signal in element.iter("signal")}


def objects(peer, name, path="/"):
    """Returns all visible objects below a path with their interfaces."""
    answer = peer.call(name, path, "org.freedesktop.DBus.Introspectable", "Introspect")
    if answer is None or answer.kind != REPLY:
        return {}
    node = ElementTree.fromstring(answer.arguments()[0])
    found = {path: [Interface(element) for element in node.findall("interface")]}
    for child in node.findall("node"):
        found.update(objects(peer, name, path.rstrip("/") + "/" + child.get("name")))
    return found
