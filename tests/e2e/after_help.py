"""Calls that the tests of jobs that wait for others share."""
import json
import os
import subprocess

from fleet import BIN, equal


def cli(h, *words, code=0, stdin=None, token=None):
    env = dict(os.environ, FAIRLEAD_URL=h.url, FAIRLEAD_TOKEN=token or h.token, XDG_CONFIG_HOME=h.dir, XDG_STATE_HOME=h.dir)
    out = subprocess.run([os.path.join(BIN, "fairlead"), *words], env=env, input=stdin, capture_output=True, text=True, timeout=60)
    equal(out.returncode, code, f"exit code of {words}: {out.stdout} {out.stderr}")
    return out


def post(h, document, token=None):
    status, _, text = h.ask("POST", "/v1/jobs", document, headers={"Authorization": f"Bearer {token or h.token}"})
    return status, json.loads(text)


def batch(h, *lines):
    status, _, text = h.ask("POST", "/v1/jobs:batch", lines)
    equal(status, 200, text)
    return [json.loads(line) for line in text.splitlines()]


def times(h, job):
    one, = h.api("GET", f"/v1/jobs/{job}/attempts")["attempts"]
    return one["placedAt"], one["endedAt"]
