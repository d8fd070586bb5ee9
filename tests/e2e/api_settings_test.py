"""The REST API under other settings: metrics on a port of their own, the least room of a stream, little memory for requests."""
import json
import os
import re
import subprocess

import fleet
import hub
from api_call import LINES, call
from fleet import equal, shows


def least_stream():
    """A setting that the start allows must serve: the least one, and one less."""
    least = 32832
    with hub.Hub({"http_stream_bytes_max": least}) as h, shows("with the least room of a stream a long log and its events are read whole"):
        h.agent("east", h.join("east"))
        job = h.api("POST", "/v1/jobs", {"command": ["sh", "-c", "seq 100000"]})["id"]
        fleet.until("it has ended", lambda: h.api("GET", f"/v1/jobs/{job}")["state"] == "succeeded", 60)
        equal(call(h, "GET", f"/v1/jobs/{job}/logs").body.decode(), "".join(f"{n}\n" for n in range(1, 100001)))
        events = call(h, "GET", f"/v1/jobs/{job}/events").body.decode()
        assert "job.submitted" in events and "job.ended" in events, events
        with shows("less is refused at the start, by name"):
            out = subprocess.run([os.path.join(fleet.BIN, "fairleadd"), "--database", "@" + h.database, "--state-dir", os.path.join(h.dir, "other"),
                                  "--api-listen", "127.0.0.1:0", "--tunnel-listen", "127.0.0.1:0", "--metrics-listen", "", "--http-stream-bytes-max",
                                  str(least - 1)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
            assert out.returncode != 0 and f"stream_bytes_max must be at least {least}" in out.stdout, (out.returncode, out.stdout[-800:])


def little_memory():
    with hub.Hub({"requests_memory": "1MiB"}) as h, shows("requests that hold too much together are refused, and nothing is done; small ones go on"):
        job = {"command": ["true"], "hold": True, "env": {f"K{k}": "v" * 56 for k in range(95)}}
        refused = call(h, "POST", "/v1/jobs:batch", "\n".join(json.dumps(job) for _ in range(1000)), LINES)
        equal((refused.status, refused.headers["retry-after"]), (503, "1"))
        assert "requests_memory" in refused.json()["detail"], refused.json()
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
    least_stream()
    little_memory()
    fleet.finish()


main()
