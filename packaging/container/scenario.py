#!/usr/bin/python3
"""What users make the service do on an ordinary day; for record-functions.sh, with much patience."""

from harness import *

RULE = pathlib.Path("/etc/polkit-1/rules.d/10-scenario.rules")
PATIENCE = 120


def day():
    """Somebody signs in, follows the location, asks for it once, is refused, and goes"""
    get("Version")
    stop()
    receiver = source()
    receiver.start()
    session = Session("alice")
    consumer = Consumer("alice")
    try:
        consumer.wait("LocationUpdated", seconds=PATIENCE)
        receiver.move(52.5170365, 13.3888599)
        consumer.wait_location(52.5170365, 13.3888599, seconds=PATIENCE)
        run("geopublicist", "locate", user="alice", timeout=PATIENCE)
        seen = consumer.count
        RULE.write_text('polkit.addRule(function(action, subject) {\n'
                        '  if (action.id.indexOf("org.geopublicist") == 0) return polkit.Result.NO;\n});\n')
        consumer.wait("AuthorizationChanged", after=seen, seconds=PATIENCE)
    finally:
        consumer.end()
        session.end()
        receiver.stop()
        RULE.unlink(missing_ok=True)
    eventually(lambda: get("State") == "idle", lambda: get("State"), PATIENCE)
    # valgrind writes at the end what it has seen.
    stop()


main(day)
