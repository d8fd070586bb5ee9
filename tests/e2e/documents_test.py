"""A read of a job's document that fails once is tried again: its START is not refused for it."""
import subprocess
import threading
import time

import fleet
import hub
from fleet import equal, shows, until

# Each reader of a document waits for longer than a read may.
LOCK = "begin; lock table spec in access exclusive mode; select pg_sleep(12); commit"


def main():
    with hub.Hub() as h:
        h.agent("east", h.join("east"))
        h.wait_cluster("east", "ready")
        with shows("a START whose document cannot be read for a while goes out later, and is not refused"):
            job = h.submit({"command": ["true"], "hold": True})
            h.kill()  # the next one has no document in its cache
            h.start()
            h.wait_cluster("east", "ready")
            lock = threading.Thread(target=subprocess.run, args=(["psql", "-X", "-q", "-h", h.pg, "-U", "postgres", "-c", LOCK],))
            lock.start()
            time.sleep(0.3)
            h.patient("POST", f"/v1/jobs/{job}:release")
            lock.join()
            done = h.wait(job)
            equal((done["state"], [one["reason"] for one in done["attempts"]]), ("succeeded", ["Succeeded"]))
    fleet.finish()


main()
