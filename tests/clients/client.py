"""Submits, finds by cursor, cancels and follows a job with the client that openapi-python-client made."""
import os

from fairlead_api import AuthenticatedClient
from fairlead_api.api.events import follow_job
from fairlead_api.api.jobs import cancel_job, get_job, list_jobs, submit_job
from fairlead_api.models import Job, JobDocument, JobPage, Problem

client = AuthenticatedClient(base_url=os.environ["FAIRLEAD_URL"], token=os.environ["FAIRLEAD_TOKEN"])
key = "made-by-python"
document = JobDocument.from_dict({"name": "python", "command": ["sleep", "600"], "hold": True})
made = submit_job.sync(client=client, body=document, idempotency_key=key)
assert isinstance(made, Job) and made.name == "python" and made.state == "held", made
again = submit_job.sync(client=client, body=document, idempotency_key=key)
assert isinstance(again, Job) and again.id == made.id, again

seen, cursor = [], ""
while True:
    page = list_jobs.sync(client=client, cursor=cursor, limit=1)
    assert isinstance(page, JobPage), page
    seen += [job.id for job in page.jobs]
    if not page.cursor:
        break
    cursor = page.cursor
assert made.id in seen and len(seen) == len(set(seen)), seen

stopped = cancel_job.sync(made.id, client=client)
assert isinstance(stopped, Job) and stopped.id == made.id, stopped
events = follow_job.sync(made.id, client=client)
assert isinstance(events, str) and "event: job.ended" in events, events
first = events.split("id: ")[1].split("\n")[0]
rest = follow_job.sync(made.id, client=client, last_event_id=first)
assert isinstance(rest, str) and "job.submitted" not in rest and "event: job.ended" in rest, rest
assert get_job.sync(made.id, client=client).state == "cancelled"
absent = get_job.sync("job-zzzz", client=client)
assert isinstance(absent, Problem) and absent.code == "absent" and absent.status == 404, absent
print(f"ok {made.id}")
