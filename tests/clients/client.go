// Submits, finds by cursor, cancels and follows a job with the client that openapi-generator made.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"fairlead.test/client/fairlead"
)

func must(is bool, what string, value any) {
	if !is {
		fmt.Printf("%s: %v\n", what, value)
		os.Exit(1)
	}
}

func main() {
	config := fairlead.NewConfiguration()
	config.Servers = fairlead.ServerConfigurations{{URL: os.Getenv("FAIRLEAD_URL")}}
	config.AddDefaultHeader("Authorization", "Bearer "+os.Getenv("FAIRLEAD_TOKEN"))
	client, ctx := fairlead.NewAPIClient(config), context.Background()

	document := fairlead.NewJobDocument()
	document.SetName("go")
	document.SetCommand([]string{"sleep", "600"})
	document.SetHold(true)
	answer, _, err := client.JobsAPI.SubmitJob(ctx).JobDocument(*document).IdempotencyKey("made-by-go").Execute()
	must(err == nil && answer.Job != nil, "submit", err)
	made := answer.Job
	must(made.GetName() == "go" && made.GetState() == "held", "made", made)

	seen, cursor := map[string]bool{}, ""
	for {
		page, _, err := client.JobsAPI.ListJobs(ctx).Cursor(cursor).Limit(1).Execute()
		must(err == nil, "list", err)
		for _, job := range page.GetJobs() {
			must(!seen[job.GetId()], "listed twice", job.GetId())
			seen[job.GetId()] = true
		}
		if cursor = page.GetCursor(); cursor == "" {
			break
		}
	}
	must(seen[made.GetId()], "listed", seen)

	stopped, _, err := client.JobsAPI.CancelJob(ctx, made.GetId()).Execute()
	must(err == nil && stopped.GetId() == made.GetId(), "cancel", err)
	events, _, err := client.EventsAPI.FollowJob(ctx, made.GetId()).Execute()
	must(err == nil && strings.Contains(events, "event: job.ended"), "events", err)
	first := strings.SplitN(strings.SplitN(events, "id: ", 2)[1], "\n", 2)[0]
	rest, _, err := client.EventsAPI.FollowJob(ctx, made.GetId()).LastEventID(first).Execute()
	must(err == nil && !strings.Contains(rest, "job.submitted") && strings.Contains(rest, "event: job.ended"), "rest", rest)

	_, _, err = client.JobsAPI.GetJob(ctx, "job-zzzz").Execute()
	var failed *fairlead.GenericOpenAPIError
	must(errors.As(err, &failed), "absent", err)
	problem, is := failed.Model().(fairlead.Problem)
	must(is && problem.GetCode() == "absent" && problem.GetStatus() == 404, "problem", failed)
	fmt.Printf("ok %s\n", made.GetId())
}
