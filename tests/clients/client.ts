// Submits, finds by cursor, cancels and follows a job with the types that openapi-typescript made.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema";

type Event = components["schemas"]["Event"];

function must(good: unknown, what: string, value: unknown): asserts good {
  if (!good) throw new Error(`${what}: ${JSON.stringify(value)}`);
}

async function main() {
  const client = createClient<paths>({
    baseUrl: process.env.FAIRLEAD_URL,
    headers: { Authorization: `Bearer ${process.env.FAIRLEAD_TOKEN}` },
  });
  const made = await client.POST("/v1/jobs", {
    body: { name: "typescript", command: ["sleep", "600"], hold: true },
    params: { header: { "Idempotency-Key": "made-by-typescript" } },
  });
  must(made.data && "state" in made.data, "submit", made.error);
  const id = made.data.id;
  must(made.data.state === "held" && made.data.name === "typescript", "made", made.data);

  const seen = new Set<string>();
  for (let cursor: string | undefined = ""; cursor !== undefined; ) {
    const page: { data?: components["schemas"]["JobPage"] } = await client.GET("/v1/jobs", {
      params: { query: { cursor, limit: 1 } },
    });
    must(page.data, "list", page);
    page.data.jobs.forEach((job) => seen.add(job.id));
    cursor = page.data.cursor;
  }
  must(seen.has(id), "listed", [...seen]);

  const stopped = await client.POST("/v1/jobs/{job}:cancel", { params: { path: { job: id } } });
  must(stopped.data?.id === id, "cancel", stopped.error);
  const lines = await client.GET("/v1/jobs/{job}/events", {
    params: { path: { job: id } },
    headers: { Accept: "application/x-ndjson" },
    parseAs: "text",
  });
  must(lines.data, "events", lines.error);
  const events = lines.data.split("\n").filter(Boolean).map((line) => JSON.parse(line) as Event);
  const last = events[events.length - 1];
  must(last.type === "job.ended" && last.state === "cancelled", "the last event", last);
  const stream = await client.GET("/v1/jobs/{job}/events", {
    params: { path: { job: id } },
    parseAs: "text",
  });
  const first = stream.data!.split("id: ")[1].split("\n")[0];
  const rest = await client.GET("/v1/jobs/{job}/events", {
    params: { path: { job: id }, header: { "Last-Event-ID": first } },
    parseAs: "text",
  });
  must(rest.data?.includes("job.ended") && !rest.data.includes("job.submitted"), "rest", rest.data);

  const absent = await client.GET("/v1/jobs/{job}", { params: { path: { job: "job-zzzz" } } });
  must(absent.error?.code === "absent" && absent.error.status === 404, "absent", absent.error);
  console.log(`ok ${id}`);
}

main();
