"""A job's way through the real programs: submitted, run, ended, its output read."""
import hashlib
import json

import fleet
from fleet import equal, shows

MEET = """
import os, socket, time
rank, size, at = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
assert at == (os.environ["PET_MASTER_ADDR"], int(os.environ["PET_MASTER_PORT"])) and (rank, size) == (int(os.environ["PET_NODE_RANK"]), int(os.environ["PET_NNODES"]))
if rank == 0:
    server = socket.create_server(at)
    print("rank 0 of", size, "heard", sorted(int(server.accept()[0].recv(9)) for _ in range(size - 1)))
while rank > 0:
    try:
        socket.create_connection(at).sendall(b"%d" % rank)
        break
    except ConnectionRefusedError:
        time.sleep(0.05)
"""
WRITER = r"""
import sys, random, hashlib
random.seed(int(sys.argv[1])); out = sys.stdout.buffer; sha = hashlib.sha256()
def put(data):
    sha.update(data); out.write(data)
put(b"first line\n"); put(b"nul \0 and bad utf-8 \xff\xfe\xc3\n"); put(b"x" * (1 << 20) + b"\n"); put(b"cr\rlf\r\n")
for i in range(20000): put(b"%d %d\n" % (i, random.getrandbits(64)))
put(b"no newline at the end"); out.flush()
open(sys.argv[2], "w").write(sha.hexdigest())
"""


def main():
    with fleet.Fleet() as f:
        with shows("a job runs on a cluster and succeeds"):
            job = f.submit({"name": "hello", "command": ["/bin/sh", "-c", "echo hello from $FAIRLEAD_JOB_ID"]})
            equal(f.wait(job)["state"], "succeeded")
            f.expect_log(job, f"hello from {job}")
        with shows("a failing job is failed, with its exit code"):
            job = f.submit({"command": ["/bin/sh", "-c", "exit 7"]})
            equal(f.wait(job)["state"], "failed")
        with shows("an array runs every element, each knows its number"):
            job = f.submit({"array": 5, "command": ["/bin/sh", "-c", "echo element $FAIRLEAD_ELEMENT"]})
            equal(f.wait(job)["state"], "succeeded")
            f.expect_log(job, *(f"element {i}" for i in range(5)))
        with shows("a gang runs all its replicas"):
            job = f.submit({"replicas": 4, "command": ["/bin/sh", "-c", "echo $FAIRLEAD_REPLICA of $FAIRLEAD_REPLICAS"]})
            equal(f.wait(job)["state"], "succeeded")
            f.expect_log(job, *(f"{i} of 4" for i in range(4)))
        with shows("two gangs at once find themselves by the variables that distributed programs read"):
            gangs = [f.submit({"replicas": 4, "command": ["python3", "-c", MEET]}) for _ in range(2)]
            for job in gangs:
                equal(f.wait(job)["state"], "succeeded")
                f.expect_log(job, "rank 0 of 4 heard [1, 2, 3]")
            alone = f.submit({"command": ["/bin/sh", "-c", "echo ${MASTER_ADDR-none} ${WORLD_SIZE-none}"]})
            equal(f.wait(alone)["state"], "succeeded")
            f.expect_log(alone, "none none")
        with shows("a reader gets a job's output byte for byte"):
            for seed in range(fleet.by_mode(1, 3, 20)):
                where = f"{f.dir}/sha-{seed}"
                job = f.submit({"command": ["python3", "-c", WRITER, str(seed), where]})
                equal(f.wait(job)["state"], "succeeded")
                with open(where) as file:
                    wanted = file.read()
                fleet.until("its log is whole", lambda job=job, wanted=wanted: hashlib.sha256(f.log(job)).hexdigest() == wanted, 30)
        with shows("cancel ends what runs, and it is final"):
            job = f.submit({"command": ["sleep", "600"]})
            f.wait(job, "running")
            f.api("POST", f"/v1/jobs/{job}:cancel")
            equal(f.wait(job)["state"], "cancelled")
        with shows("a held job waits for its release"):
            job = f.submit({"command": ["true"], "hold": True})
            equal(f.job(job)["state"], "held")
            f.api("POST", f"/v1/jobs/{job}:release")
            equal(f.wait(job)["state"], "succeeded")
        with shows("a job that fits nowhere says so"):
            job = f.submit({"command": ["true"], "resources": {"cpu": "1000"}}, waits=True)
            answer = fleet.until("the reason is known", lambda: (
                lambda e: e if "NoMatchingCluster" in json.dumps(e) else None)(f.api("GET", f"/v1/jobs/{job}/explain")), 30)
            for cluster in ("east", "west", "edge"):
                assert cluster in json.dumps(answer), answer
            f.api("POST", f"/v1/jobs/{job}:cancel")
            f.wait(job, "cancelled")
        with shows("the same key and body are the same job, another body is refused"):
            first = f.submit({"command": ["true"]}, key="once")
            equal(f.submit({"command": ["true"]}, key="once"), first)
            try:
                f.submit({"command": ["false"]}, key="once")
                raise AssertionError("it was accepted")
            except fleet.Problem as problem:
                equal(problem.status, 409)
        with shows("openapi.json names every route, and is JSON"):
            document = f.api("GET", "/v1/openapi.json")
            assert document["openapi"].startswith("3.1"), document["openapi"]
            assert "/v1/jobs" in document["paths"], list(document["paths"])
        with shows("metrics and readiness answer"):
            equal(f.api("GET", "/readyz?verbose")["ready"], True)
    fleet.finish()


main()
