"""Templates as Home Assistant renders them, with the same library (jinja2) in its sandbox.

Reads a JSON list of {"template", "variables"} from standard input and writes the list of the rendered texts. `now` is a clock that
stands at the milliseconds in the variable `clock_ms`.
"""
import json
import sys
from datetime import datetime, timezone

from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined)


def rendered(template, variables):
    moment = datetime.fromtimestamp(variables.pop("clock_ms", 0) / 1000, timezone.utc)
    return environment.from_string(template, globals={"now": lambda: moment}).render(**variables)


print(json.dumps([rendered(**one) for one in json.load(sys.stdin)]))
