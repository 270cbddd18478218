"""Who is admitted when, judged by Python's zoneinfo: an opinion that shares no code with the gateway.

Reads JSON from standard input and writes JSON. {"zones": [...], "year": 2026} is answered by the first minute after each change of
the clocks in that year, by zone. {"cases": [...]} is answered by a string of 0 and 1 for each case: from "from" (ms) on, every
"step" minutes, "count" times.
"""
import json
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def local_time(milliseconds, zone):
    return (EPOCH + timedelta(milliseconds=milliseconds)).astimezone(zone)


def transitions(name, year):
    zone = ZoneInfo(name)
    minute = datetime(year, 1, 1, tzinfo=timezone.utc)
    found = []
    while minute.year == year:
        later = minute + timedelta(minutes=30)
        if minute.astimezone(zone).utcoffset() != later.astimezone(zone).utcoffset():
            found.append(int((later - EPOCH).total_seconds()) * 1000)
        minute = later
    return found


def admitted(case, milliseconds, zone):
    if milliseconds < case["startDate"]:
        return False
    if case["endDate"] != 0 and milliseconds > case["endDate"]:
        return False
    local = local_time(milliseconds, zone)
    day = 8 if local.date().isoformat() in case["holidays"] else local.isoweekday()
    minute = local.hour * 60 + local.minute
    return any(day in line["days"] and line["from"] <= minute < line["to"] for line in case["lines"])


def judged(case):
    zone = ZoneInfo(case["zone"])
    instants = (case["from"] + n * case["step"] * 60_000 for n in range(case["count"]))
    return "".join("1" if admitted(case, instant, zone) else "0" for instant in instants)


asked = json.load(sys.stdin)
if "zones" in asked:
    answer = {name: transitions(name, asked["year"]) for name in asked["zones"]}
else:
    answer = [judged(case) for case in asked["cases"]]
json.dump(answer, sys.stdout)
