"""The REST API under other settings: metrics on their own port, the least of each limit, little memory for requests."""
import json
import os
import re
import subprocess

import fleet
import hub
from api_call import LINES, call
from fleet import equal, shows


def limits():
    """Name and least value of each limit of HTTP, as the reference has them."""
    with open(os.path.join(fleet.ROOT, "docs/reference/limits.md")) as file:
        rows = re.findall(r"^\| `(http_\w+)` \| number, (\d+) to \d+ \|", file.read(), re.M)
    assert len(rows) >= 19, rows
    return {name: int(least) for name, least in rows}


SHARES = ("http_token_percent", "http_token_rate")  # at their least beside the presets of the others


def lines_of(bytes_max):
    """A batch of as many bytes, and of how many jobs."""
    line = json.dumps({"command": ["true"], "hold": True, "env": {"PAD": "v" * 4000}}) + "\n"
    count = bytes_max // len(line)
    return (line * count + " " * bytes_max)[:bytes_max], count


def least_limits():
    """A setting that the start allows must serve: each at its least."""
    least = limits()
    with hub.Hub({name: value for name, value in least.items() if name not in SHARES}) as h:
        with shows("with the least of each limit a job is submitted and read, and the largest bodies are taken"):
            job = h.api("POST", "/v1/jobs", {"command": ["true"], "hold": True, "name": "small"})["id"]
            equal(h.api("GET", f"/v1/jobs/{job}")["name"], "small")
            text = json.dumps({"command": ["true"], "hold": True, "name": "large"}).ljust(least["http_body_bytes_max"])
            job = call(h, "POST", "/v1/jobs", text).json()["id"]
            equal(h.api("GET", f"/v1/jobs/{job}")["name"], "large")
            batch, count = lines_of(least["http_batch_bytes_max"])
            answer = call(h, "POST", "/v1/jobs:batch", batch, LINES)
            equal((answer.status, len(answer.lines())), (200, count))
            equal(len(h.api("GET", "/v1/jobs?limit=1000")["jobs"]), 2 + count)
        with shows("with the least room of a stream a long log and its events are read whole"):
            h.agent("east", h.join("east"))
            job = h.api("POST", "/v1/jobs", {"command": ["sh", "-c", "seq 100000"]})["id"]
            fleet.until("it has ended", lambda: h.api("GET", f"/v1/jobs/{job}")["state"] == "succeeded", 60)
            equal(call(h, "GET", f"/v1/jobs/{job}/logs").body.decode(), "".join(f"{n}\n" for n in range(1, 100001)))
            events = call(h, "GET", f"/v1/jobs/{job}/events").body.decode()
            assert "job.submitted" in events and "job.ended" in events, events
        with shows("less is refused at the start, and so are limits that do not fit one another, by name"):
            for name, value in least.items():
                refused(h, {name: value - 1}, name, f"must be {value} to")
            refused(h, {"http_bodies_bytes_max": 8388608}, "http_bodies_bytes_max is 8388608", "http_batch_bytes_max, 8388608", "set")
            refused(h, {"http_target_bytes_max": 16000}, "http_head_bytes_max is 16384", "http_target_bytes_max, 16000", "set")
            refused(h, {"http_token_percent": 1, "http_unsent_bytes_max": 4 << 20}, "http_token_percent", "http_unsent_bytes_max", "http_stream_bytes_max", "set")
            refused(h, {"http_token_percent": 1, "http_connections_max": 100}, "http_token_percent", "http_connections_max", "set")
    with hub.Hub({name: least[name] for name in SHARES}) as h, shows("with the least share of a token a job is submitted and read"):
        job = h.api("POST", "/v1/jobs", {"command": ["true"], "hold": True})["id"]
        equal(h.api("GET", f"/v1/jobs/{job}")["state"], "held")


def refused(h, settings, *texts):
    words = [os.path.join(fleet.BIN, "fairleadd"), "--database", "@" + h.database, "--state-dir", os.path.join(h.dir, "other"), "--api-listen",
             "127.0.0.1:0", "--tunnel-listen", "127.0.0.1:0", "--metrics-listen", ""]
    for name, value in settings.items():
        words += ["--" + name.replace("_", "-"), str(value)]
    try:
        out = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=20)
    except subprocess.TimeoutExpired:
        raise AssertionError(f"it runs with {settings}") from None
    assert out.returncode != 0 and all(text in out.stdout for text in texts), (settings, out.returncode, out.stdout[-800:])


def little_memory():
    with hub.Hub({"requests_memory": "1MiB"}) as h, shows("a request that needs more than all may have is refused for good, and nothing is done; small ones go on"):
        job = {"command": ["true"], "hold": True, "env": {f"K{k}": "v" * 56 for k in range(95)}}
        answer = call(h, "POST", "/v1/jobs:batch", "\n".join(json.dumps(job) for _ in range(1000)), LINES)
        equal((answer.status, answer.headers.get("retry-after")), (413, None))  # it would not help
        assert "requests_memory" in answer.json()["detail"], answer.json()
        for name in ("one", "two", "three"):  # each gives back what it took
            equal(call(h, "POST", "/v1/jobs:batch", "\n".join(json.dumps(job | {"name": name}) for _ in range(20)), LINES).status, 200)
        equal(len(h.api("GET", "/v1/jobs?limit=1000")["jobs"]), 60)


def metrics():
    port = hub.free_port()
    with hub.Hub({"metrics_listen": f"127.0.0.1:{port}"}) as h, shows("metrics are on a port of their own and want a token"):
        equal(call(h, "GET", "/v1/jobs/job-1").status, 404)
        equal(call(h, "GET", "/v1/nothing/job-1").status, 404)
        h.url, api = f"http://127.0.0.1:{port}", h.url
        equal(call(h, "GET", "/metrics", token=None).status, 401)
        answer = call(h, "GET", "/metrics")
        equal(answer.status, 200)
        text = answer.body.decode()
        families = re.findall(r"^# TYPE (\w+) (?:counter|gauge|histogram)$", text, re.M)
        assert len(families) > 10 and all(name.startswith("fairlead_") or name.startswith("process_") for name in families), families
        equal(len(families), len(set(families)))
        for line in text.splitlines():
            assert line.startswith("#") or re.fullmatch(r'\w+(\{(\w+="[^"]*",?)*\})? -?[0-9.eE+-]+(Inf|NaN)?', line), line
        for line in ('requests_total{method="GET",route="/v1/jobs/{job}"} 1', 'errors_total{method="GET",route="/v1/jobs/{job}",class="4xx"} 1',
                     'seconds_count{method="GET",route="/v1/jobs/{job}"} 1', 'errors_total{method="other",route="other",class="4xx"} 1'):
            assert f"fairlead_http_route_{line}\n" in text, (line, text)
        assert "job-1" not in text
        h.url = api
        equal(call(h, "GET", "/metrics").status, 404)


def main():
    metrics()
    least_limits()
    little_memory()
    fleet.finish()


main()
