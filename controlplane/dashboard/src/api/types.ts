/* types.ts - the objects of /v1.  Made by make_types.mjs from /v1/openapi.json; change that, not this. */

/** Why a request was not done. */
export type Problem = {
    /** which kind, as a URI that leads to its text */
    type: string;
    /** the status in words */
    title: string;
    /** as in the head */
    status: number;
    /** which kind, in a word: see the table of errors */
    code: string;
    /** the fault and its remedy */
    detail: string;
    /** where it is wrong */
    errors?: Array<ProblemError>;
    /** to be named when asking an administrator */
    traceId?: string;
};

/** One thing that is wrong in what was sent. */
export type ProblemError = {
    /** where in the document that was sent, as RFC 6901 */
    pointer?: string;
    /** in its place: which parameter of the path or the query */
    parameter?: string;
    /** in its place: which header */
    header?: string;
    /** the fault there */
    detail: string;
    /** the value that was sent */
    got?: string;
    /** the values that are allowed */
    allowed?: string;
    /** where in the text that was sent */
    line?: number;
    /** where in that line */
    col?: number;
};

/** A job: in lists without the members that are not for them. */
export type Job = {
    /** its id */
    id: string;
    /** for people */
    name: string | null;
    /** for finding it again */
    labels: Record<string, string>;
    /** when it was accepted; null: not known any more */
    submittedAt: string | null;
    /** the owner of the token that submitted it, or the token's name; null: not known */
    submittedBy: string | null;
    /** the job that it repeats */
    retryOf: string | null;
    /** the jobs that it was to run after */
    after: Array<AfterJob>;
    /** it runs alone among singletons of its name and owner */
    singleton: boolean;
    /** where it waits */
    queue: string | null;
    /** where it is */
    state: "held" | "queued" | "starting" | "running" | "stopping" | "succeeded" | "failed" | "cancelled";
    /** why it waits, or how it ended: see reasons.md */
    reason: string | null;
    /** since when its cluster is silent */
    unknownSince: string | null;
    /** within its queue, the higher goes first */
    priority: number;
    /** seconds from its first start; null: none */
    deadline: number | null;
    /** so many of its elements run at the same time; null: all */
    parallelism: number | null;
    /** how many times it was edited; open jobs only */
    revision?: number;
    elements: Elements;
    /** the cluster that runs its first live element */
    cluster: string | null;
    /** when */
    endedAt: string | null;
    /** the newest of a plain job */
    attempt: number | null;
    /** a plain job's, once it has ended */
    exitCode: number | null;
    /** that failed first, of a plain job */
    firstReplica: number | null;
    /** how it goes on while its cluster is silent, or which jobs it waits for */
    sentence?: string;
    /** its first elements that are live; not in lists */
    live?: Array<LiveElement>;
    /** SHA-256 of its spec; not in lists */
    specDigest?: string;
    /** its parameters; not in lists */
    params?: Record<string, string>;
    spec?: JobDocument;
    /** its first attempts; not in lists */
    attempts?: Array<Attempt>;
    /** where further attempts begin: 'cursor' of /attempts */
    attemptsCursor?: string;
};

/** The elements of a job, counted. */
export type Elements = {
    /** elements of the job; a plain job has one */
    total: number;
    /** elements that have had an attempt; open jobs only */
    started?: number;
    /** elements that have an attempt now; open jobs only */
    live?: number;
    /** live elements on silent clusters; open jobs only */
    unknown?: number;
    /** left out where counting would cost too much */
    succeeded?: number;
    /** left out where counting would cost too much */
    failed?: number;
    /** left out where counting would cost too much */
    cancelled?: number;
};

/** A job that another one is to run after. */
export type AfterJob = {
    /** its id */
    job: string;
    /** the end that is waited for */
    on: "success" | "any" | "failure" | "each";
};

/** An element that has started and not ended. */
export type LiveElement = {
    /** its number */
    element: number;
    /** the newest */
    attempt: number;
    /** the attempt's state */
    state: "assigned" | "created" | "running" | "stopping" | "unknown" | "ended";
    /** why it is being stopped, or waits */
    reason?: string;
    /** since when its cluster is silent */
    unknownSince?: string;
    /** when its next attempt may begin */
    waitsUntil?: string;
    /** where it runs */
    cluster: string | null;
    /** one a replica */
    nodes: Array<string>;
    /** their states */
    replicas: Array<"pending" | "created" | "pulling" | "running" | "exited" | "lost" | "refused" | "absent">;
};

/** CPU, memory and I/O of an attempt. */
export type Usage = {
    /** the meter: processes, the kernel's account of the processes that ended, where memory is that of the
     * largest; group, a control group */
    meter: "processes" | "group";
    /** so many of its replicas were measured */
    replicas: number;
    /** milliseconds of CPU, of all of them together */
    cpuMillis: number;
    /** the peak of the replica that had the highest */
    memoryBytes: number;
    /** from block devices; a cache does not count */
    readBytes: number;
    /** to block devices */
    writtenBytes: number;
};

/** One placement of one element on one cluster. */
export type Attempt = {
    /** its element */
    element: number;
    /** its number, from 1 */
    attempt: number;
    /** where it was placed */
    cluster: string | null;
    /** one a replica */
    nodes: Array<string>;
    /** when; null: not known any more */
    placedAt: string | null;
    /** when; null: not yet */
    endedAt: string | null;
    /** how it ended, in a word: see reasons.md */
    reason?: string;
    /** the first failed replica's, else 0 */
    exitCode?: number;
    /** that failed first */
    firstReplica?: number;
    /** why it failed: after an exit code the last error line of its output, else the words of its cluster */
    words?: string;
    usage?: Usage;
    /** how its element ended, with its last attempt */
    elementState?: "held"
        | "queued"
        | "starting"
        | "running"
        | "stopping"
        | "succeeded"
        | "failed"
        | "cancelled";
};

/** A page of jobs. */
export type JobPage = {
    /** open ones, the newest first, then ended ones likewise */
    jobs: Array<Job>;
    /** where the next page begins; absent on the last. A page may be short before it, and empty if the
     * filter passes none of 100000 jobs */
    cursor?: string;
};

/** How many jobs there are, by how they stand. */
export type JobSums = {
    /** all of them */
    jobs: number;
    /** those that have not ended */
    open: number;
    /** those that ended well */
    succeeded: number;
    /** those that failed */
    failed: number;
    /** those that were cancelled */
    cancelled: number;
};

/** The jobs with one value of the label. */
export type LabelCount = {
    /** the value of the label */
    value: string;
    /** all of them */
    jobs: number;
    /** those that have not ended */
    open: number;
    /** those that ended well */
    succeeded: number;
    /** those that failed */
    failed: number;
    /** those that were cancelled */
    cancelled: number;
};

/** Jobs counted by a label. */
export type JobCounts = {
    /** the label that they are counted by */
    by: string;
    /** the values, most jobs first; at most 1000 */
    values: Array<LabelCount>;
    without: JobSums;
    others: JobSums;
    total: JobSums;
    /** false: only the newest 100000 jobs were looked at */
    isWhole: boolean;
};

/** A page of attempts. */
export type AttemptPage = {
    /** by element and number */
    attempts: Array<Attempt>;
    /** where the next page begins; absent on the last. With a state a page may be short before it, and
     * empty if none of 100000 elements ended so */
    attemptsCursor?: string;
};

/** The failed elements of a job, grouped by how they failed. */
export type Failures = {
    /** the job */
    job: string;
    /** so many elements failed */
    failed: number;
    /** the most frequent first, 200 at most */
    groups: Array<FailureGroup>;
    /** so many of them are in no group of this answer */
    others: number;
    /** false: there are more failures than one answer reads, or more than 1000 groups, so a count may be
     * too low */
    isWhole: boolean;
};

/** Elements that failed alike. */
export type FailureGroup = {
    /** names the group in a retry; the same as long as reason, exit code and pattern are */
    id: string;
    /** so many elements failed so */
    count: number;
    /** how their last attempts ended, in a word: see reasons.md */
    reason: string;
    /** the replica that failed first ended with it; null: it ended without one */
    exitCode: number | null;
    /** the last error line of one of them, or what its cluster said; may be empty */
    line: string;
    /** the line with placeholders in angle brackets for numbers, times, addresses and paths: all that
     * counts of it */
    pattern: string;
    /** which ones, as 0-3,7 */
    elements: string;
    /** further elements are not named */
    hasMoreElements: boolean;
    first: FailedElement;
};

/** An element that failed. */
export type FailedElement = {
    /** its number */
    element: number;
    /** its last attempt */
    attempt: number;
    /** the replica that failed first; null: none did */
    replica: number | null;
};

/** A document as it was understood. */
export type DryRun = {
    /** true: nothing was made */
    dryRun: boolean;
    /** SHA-256 of its spec */
    specDigest: string;
    job: JobDocument;
    placement?: Placement;
};

/** The verdicts of the clusters on a job now. */
export type Placement = {
    /** false: no enrolled cluster could ever run it; as long as none is enrolled, or one has not told its
     * nodes, true */
    possible: boolean;
    /** so many clusters are enrolled; only for a token that may read */
    enrolled?: number;
    /** a verdict for each of the first 100 clusters by name, as in an explanation, and of fewer where these
     * have over 20000 nodes; only for a token that may read */
    clusters?: Array<Verdict>;
};

/** A line of a batch. */
export type BatchItem = JobDocument | BatchDefinition | BatchUse | BatchUseDigest;

/** A line that defines a spec. */
export type BatchDefinition = {
    /** a name for later lines */
    spec: string;
    job: JobDocument;
};

/** A job by the spec of an earlier line, with its own members. */
export type BatchUse = {
    /** a spec that an earlier line defines */
    use: string;
    /** the job's name */
    name?: string;
    /** where it waits */
    queue?: string;
    /** its elements */
    array?: number;
    /** over those of the line that defines the spec */
    labels?: Record<string, string>;
    /** within its queue, the higher goes first */
    priority?: number;
    /** it waits for its release */
    hold?: boolean;
    /** over those of the line that defines the spec */
    params?: Record<string, string>;
    /** the jobs that it is to run after */
    after?: Array<JobAfter>;
    /** it runs alone among singletons of its name and owner */
    singleton?: boolean;
    /** so many of its elements run at the same time */
    parallelism?: number;
};

/** A job by the spec of an earlier job, with its own members. */
export type BatchUseDigest = {
    /** specDigest of an earlier job */
    useDigest: string;
    /** the job's name */
    name?: string;
    /** where it waits */
    queue?: string;
    /** its elements */
    array?: number;
    /** over those of the line that defines the spec */
    labels?: Record<string, string>;
    /** within its queue, the higher goes first */
    priority?: number;
    /** it waits for its release */
    hold?: boolean;
    /** over those of the line that defines the spec */
    params?: Record<string, string>;
    /** the jobs that it is to run after */
    after?: Array<JobAfter>;
    /** it runs alone among singletons of its name and owner */
    singleton?: boolean;
    /** so many of its elements run at the same time */
    parallelism?: number;
};

/** The new values of members of an open job. A member that is left out stays. */
export type JobEdit = {
    /** for people; null: none */
    name?: string | null;
    /** where it waits; the token needs the scope submit */
    queue?: string;
    /** within its queue, the higher goes first */
    priority?: number;
    /** the longest time from its first start, like 1h30m, or seconds; null: none. Not once it has started */
    deadline?: string | null;
    /** so many elements of an array run at the same time; null: all. Fewer than run now stops none: the
     * others start later */
    parallelism?: number | null;
    /** labels that are given come over those that there are, null takes one away; null for all: none is
     * left */
    labels?: Record<string, unknown> | null;
    /** it starts nothing more; false: it may start */
    hold?: boolean;
};

/** The outcome for one line. */
export type BatchResult = {
    /** the request's line, from 1 */
    line: number;
    /** the accepted job */
    id?: string;
    /** the accepted job's state */
    state?: "held" | "queued";
    /** that the line defines */
    spec?: string;
    problem?: Problem;
};

/** The outcome of an action on many jobs. */
export type BulkCount = {
    /** nothing was changed */
    dryRun: boolean;
    /** jobs that the filter names */
    matched: number;
    /** jobs that were cancelled or edited, or run again */
    changed: number;
    /** jobs that were as the edit wants them; only of an edit */
    unchanged?: number;
    /** jobs that could not be changed */
    failed: number;
    firstFailure?: BulkFailure;
    /** there are others that it names: call again with 'cursor' */
    more: boolean;
    /** where the next call goes on; only with 'more' */
    cursor?: string;
};

/** Why a job could not be changed by an action on many. */
export type BulkFailure = {
    /** its id; only of a retry */
    job?: string;
    /** the reason in a word, a code as that of a problem */
    code: string;
    /** the reason in a sentence */
    detail: string;
};

/** Why a job waits, or why it ended. */
export type Explanation = {
    /** the job's own */
    id: string;
    /** the job's own */
    state: "held" | "queued" | "starting" | "running" | "stopping" | "succeeded" | "failed" | "cancelled";
    /** in a word, see reasons.md */
    reason: string | null;
    /** the person who can change it */
    whoCanAct: "nobody" | "user" | "admin";
    /** since when its cluster is silent */
    unknownSince?: string;
    /** the reason in words, and what will come of it */
    sentence: string | null;
    /** a verdict for each cluster */
    clusters: Array<Verdict>;
};

/** Why a cluster does not run the job, or does. */
export type Verdict = {
    /** its name */
    cluster: string;
    /** in a word, see reasons.md */
    reason: string;
    /** the person who can change it */
    whoCanAct: "nobody" | "user" | "admin";
    /** with numbers */
    detail: string | null;
};

/** A line of output, or a gap. */
export type LogLine = {
    /** the element's number */
    element: number;
    /** the attempt's number */
    attempt: number;
    /** the replica's number */
    replica: number;
    /** its number, from 0 */
    line: number;
    /** its first byte in the replica's output */
    offset: number;
    /** when it was written */
    time: string | null;
    /** its bytes, or a piece of a long line */
    text?: string;
    /** in place of the text: why bytes are missing */
    gap?: string;
    /** the gap's size, where it is known */
    bytes?: number;
    /** true: whether it matches would take too long to find out */
    undecided?: boolean;
};

/** The data of an event in a stream of output. */
export type LogPiece = LogLine | LogEnd | LogWaiting | ClosedEvent;

/** The event 'end', or the last line: nothing comes any more. */
export type LogEnd = {
    /** the last object of a stream */
    type: "end";
    /** whether all of it was given; more: with follow=false alone */
    output: "complete" | "incomplete" | "more";
};

/** The event 'waiting': the job has ended, and output of it is still to come. */
export type LogWaiting = {
    /** how many replicas have output that is still to come */
    outputs: number;
    /** the first of them: its element */
    element: number;
    /** its attempt */
    attempt: number;
    /** its number */
    replica: number;
    /** where it is */
    cluster?: string;
    /** how long it is waited for */
    until?: string;
};

/** A line that matches, one that is undecided, or a gap, which might have held a match. */
export type LogHit = {
    /** the element's number */
    element: number;
    /** the attempt's number */
    attempt: number;
    /** the replica's number */
    replica: number;
    /** its number, from 0 */
    line: number;
    /** its first byte in the replica's output */
    offset: number;
    /** when it was written */
    time: string | null;
    /** its bytes, or a piece of a long line */
    text?: string;
    /** in place of the text: why bytes are missing */
    gap?: string;
    /** the gap's size, where it is known */
    bytes?: number;
    /** true: whether it matches would take too long to find out */
    undecided?: boolean;
    /** how grave it is, as far as its beginning tells; a guess */
    level?: "none" | "error" | "warn" | "info" | "debug";
    /** begin and end of each match in turn, in bytes from 'offset' on: the first 50 matches */
    matches?: Array<number>;
    /** true: a piece of a line of over 32 KiB, looked at by itself */
    piece?: boolean;
};

/** The end of a search. */
export type LogFound = {
    /** the last object of a search */
    type: "end";
    /** at the end of what is stored, or at the limit */
    stopped: "end" | "limit";
    /** whether all of the output is there */
    output: "complete" | "incomplete" | "more";
    /** lines that match and have an asked level, of a line of over 32 KiB its pieces; since the cursor, if
     * one was given */
    hits: number;
    /** lines in which the search ran into its limits: they may match */
    undecided: number;
    /** places where output is missing */
    gaps: number;
    /** lines that were looked at */
    lines: number;
    levels: LogLevels;
    /** where to go on behind the limit, for the same job, elements, attempts and replicas; null: at the end */
    nextCursor: string | null;
};

/** How many lines are of which level. */
export type LogLevels = {
    /** lines that tell no level */
    none: number;
    /** fatal and critical ones, too */
    error: number;
    /** warnings */
    warn: number;
    /** notices, too */
    info: number;
    /** traces, too */
    debug: number;
};

/** The data of an event of a search. */
export type LogSearch = LogHit | LogFound | ClosedEvent;

/** Something that was committed: the data of an event in a stream. */
export type Event =
    JobSubmittedEvent |
    JobEditedEvent |
    JobLeftEvent |
    JobHeldEvent |
    JobReleasedEvent |
    JobStoppingEvent |
    JobEndedEvent |
    AttemptAssignedEvent |
    AttemptStoppingEvent |
    AttemptEndedEvent |
    ElementEndedEvent |
    ReplicaChangedEvent |
    QueueChangedEvent |
    ClusterChangedEvent |
    UnknownEvent |
    ResetEvent |
    ClosedEvent;

/** A job was accepted. */
export type JobSubmittedEvent = {
    /** which event */
    type: "job.submitted";
    /** when it was committed */
    at: string;
    /** its id */
    job: string;
    /** where it waits */
    queue?: string;
    /** for people */
    name: string | null;
    /** how many */
    elements: number;
};

/** An open job was edited. */
export type JobEditedEvent = {
    /** which event */
    type: "job.edited";
    /** when it was committed */
    at: string;
    /** its id */
    job: string;
    /** how many times it was edited by then */
    revision: number;
    /** where it waits now */
    queue?: string;
    /** for people */
    name: string | null;
    /** for finding it again */
    labels: Record<string, string>;
    /** within its queue, the higher goes first */
    priority: number;
    /** seconds from its first start; null: none */
    deadline: number | null;
    /** so many of its elements run at the same time; null: all */
    parallelism: number | null;
};

/** For a token of one queue: an edit moved the job to another one, and it is not seen any more. */
export type JobLeftEvent = {
    /** which event */
    type: "job.left";
    /** when it was committed */
    at: string;
    /** its id */
    job: string;
};

/** A job starts nothing more. */
export type JobHeldEvent = {
    /** which event */
    type: "job.held";
    /** when it was committed */
    at: string;
    /** its id */
    job: string;
    /** the actor, as in the audit, if a person or service did it; to a token of one queue only while the
     * job is there */
    by?: string;
};

/** A held job may start. */
export type JobReleasedEvent = {
    /** which event */
    type: "job.released";
    /** when it was committed */
    at: string;
    /** its id */
    job: string;
    /** the actor, as in the audit, if a person or service did it; to a token of one queue only while the
     * job is there */
    by?: string;
};

/** A job is to end. */
export type JobStoppingEvent = {
    /** which event */
    type: "job.stopping";
    /** when it was committed */
    at: string;
    /** its id */
    job: string;
    /** the actor, as in the audit, if a person or service did it; to a token of one queue only while the
     * job is there */
    by?: string;
};

/** A job has ended. */
export type JobEndedEvent = {
    /** which event */
    type: "job.ended";
    /** when it was committed */
    at: string;
    /** its id */
    job: string;
    /** how */
    state: "held" | "queued" | "starting" | "running" | "stopping" | "succeeded" | "failed" | "cancelled";
    /** in a word */
    reason: string;
};

/** An element was given to a cluster. */
export type AttemptAssignedEvent = {
    /** which event */
    type: "attempt.assigned";
    /** when it was committed */
    at: string;
    /** its id */
    job: string;
    /** its number */
    element: number;
    /** its number, from 1 */
    attempt: number;
    /** its name */
    cluster?: string;
};

/** An attempt ended, and its element goes on. */
export type AttemptEndedEvent = {
    /** which event */
    type: "attempt.ended";
    /** when it was committed */
    at: string;
    /** its id */
    job: string;
    /** its number */
    element: number;
    /** its number */
    attempt: number;
    /** in a word */
    reason: string;
    /** the first failed replica's, else 0 */
    exitCode: number;
    /** that failed first */
    firstReplica?: number;
};

/** A replica of an attempt failed, and the others are being stopped. */
export type AttemptStoppingEvent = {
    /** which event */
    type: "attempt.stopping";
    /** when it was committed */
    at: string;
    /** its id */
    job: string;
    /** its number */
    element: number;
    /** its number */
    attempt: number;
    /** in a word */
    reason: string;
    /** the first failed replica's, else 0 */
    exitCode: number;
    /** that failed first */
    firstReplica?: number;
};

/** An element has ended. */
export type ElementEndedEvent = {
    /** which event */
    type: "element.ended";
    /** when it was committed */
    at: string;
    /** its id */
    job: string;
    /** its number */
    element: number;
    /** the last; 0: it never had one */
    attempt: number;
    /** how */
    state: "held" | "queued" | "starting" | "running" | "stopping" | "succeeded" | "failed" | "cancelled";
    /** in a word */
    reason: string;
    /** the first failed replica's, else 0 */
    exitCode: number;
    /** that failed first */
    firstReplica?: number;
};

/** A replica is in another state. */
export type ReplicaChangedEvent = {
    /** which event */
    type: "replica.changed";
    /** when it was committed */
    at: string;
    /** its id */
    job: string;
    /** its number */
    element: number;
    /** its number */
    attempt: number;
    /** its number */
    replica: number;
    /** its state */
    state: "pending" | "created" | "pulling" | "running" | "exited" | "lost" | "refused" | "absent";
    /** once it has exited */
    exitCode?: number;
};

/** A queue was made, paused, resumed or removed. */
export type QueueChangedEvent = {
    /** which event */
    type: "queue.changed";
    /** when it was committed */
    at: string;
    /** its name */
    queue: string;
    /** nothing of it starts */
    paused: boolean;
    /** it is gone; its ended jobs keep its name */
    removed: boolean;
    /** CPU of a replica that asks for none */
    defaultCpu: string | null;
};

/** Something was decided about a cluster. */
export type ClusterChangedEvent = {
    /** which event */
    type: "cluster.changed";
    /** when it was committed */
    at: string;
    /** its name */
    cluster: string;
    /** why it takes no new work; empty: it does */
    cordon: string;
};

/** A newer control plane wrote a row here whose kind this one does not know, so look anew at the state of
 * things. Streams of one job leave it out. */
export type UnknownEvent = {
    /** which event */
    type: "unknown";
    /** when it was committed */
    at: string;
    /** its number, which a newer program gave it */
    row: number;
};

/** The journal no longer has the events that were missed: read all anew. */
export type ResetEvent = {
    /** which event */
    type: "reset";
};

/** The stream ends here, although more may come: its token counts no more. */
export type ClosedEvent = {
    /** which event */
    type: "closed";
    /** why the stream ends here */
    reason: "TokenExpired" | "TokenRevoked" | "TokenRotated" | "SessionEnded";
    /** the same as a sentence */
    text: string;
};

/** A restored database goes on. */
export type RestoreAccepted = {
    /** jobs are accepted and started again */
    accepted: boolean;
};

/** Where jobs wait. */
export type Queue = {
    /** its name */
    name: string;
    /** nothing of it starts until it is resumed */
    paused: boolean;
    /** CPU of a replica that asks for none, like 500m; 0: none; null: the setting default_cpu counts */
    defaultCpu: string | null;
    /** open jobs in it */
    jobs: number;
    byState: QueueStates;
};

/** A queue's open jobs by state. */
export type QueueStates = {
    /** waits for release */
    held: number;
    /** waits for a cluster, or for its next attempt */
    queued: number;
    /** placed; its replicas are being created */
    starting: number;
    /** at least one replica runs */
    running: number;
    /** its replicas are being stopped */
    stopping: number;
};

/** A page of queues. */
export type QueuePage = {
    /** those that the token may see */
    queues: Array<Queue>;
    /** where the next page begins; absent on the last */
    cursor?: string;
};

/** A queue that is gone. */
export type QueueRemoved = {
    /** the queue that is gone */
    name: string;
};

/** A cluster: one agent and what it sees. */
export type Cluster = {
    /** its name */
    name: string;
    /** the identity in its certificates, a UUID */
    id: string;
    /** tells its cluster or host from all others */
    uid: string;
    /** whether it takes work */
    state: "ready" | "cordoned" | "draining" | "joining" | "away" | "lost" | "locked" | "revoked";
    /** why it takes no new work; null: it does */
    cordon: string | null;
    /** its agent has a session */
    connected: boolean;
    /** its runtime runs container images */
    images: boolean;
    /** counts its certificates */
    certificateGeneration: number;
    /** counts its sessions */
    session: number;
    /** that live there */
    attempts: number;
    /** attempts that its agent has not confirmed */
    unconfirmed: number;
    /** that its agent reported */
    nodes: number;
    /** nodes that take work */
    nodesReady: number;
    /** those of them that keep replicas within their limits of memory and CPU */
    nodesLimited: number;
    total: Resources;
    free: Resources;
};

/** A page of clusters. */
export type ClusterPage = {
    /** by number */
    clusters: Array<Cluster>;
    /** where the next page begins; absent on the last */
    cursor?: string;
};

/** A cluster that is gone for good. */
export type ClusterForgotten = {
    /** the cluster that is gone */
    name: string;
};

/** Amounts of a cluster or node. */
export type Resources = {
    /** thousandths of a core */
    cpuMilli: number;
    /** bytes of memory */
    memoryBytes: number;
    /** whole GPUs */
    gpus: number;
    /** all other resources by name: bytes of ephemeral-storage and hugepages, numbers of devices */
    named: Record<string, number>;
};

/** A node of a cluster. */
export type Node = {
    /** its name */
    name: string;
    /** it takes work */
    ready: boolean;
    total: Resources;
    free: Resources;
    /** for a nodeSelector */
    labels: Record<string, string>;
    /** taints that keep jobs off which do not tolerate them, as key=value:NoSchedule */
    taints: Array<string>;
};

/** A page of nodes. */
export type NodePage = {
    /** as its agent reported them */
    nodes: Array<Node>;
    /** where the next page begins; absent on the last */
    cursor?: string;
};

/** A join token that was just made, with its secret. */
export type JoinTokenWithSecret = {
    /** that an agent may enrol as */
    cluster: string;
    /** names it; no secret */
    id: string;
    /** its text, shown in this answer and never again */
    token: string;
    /** until when it may be used */
    expiresAt: string;
};

/** A token of the API, without its secret. */
export type Token = {
    /** names it; no secret */
    id: string;
    /** for people */
    name: string;
    /** its rights */
    scopes: Array<"read" | "submit" | "cancel" | "admin" | "outlive" | "exec" | "delegate">;
    /** it counts for this queue only; null: for all */
    queue: string | null;
    /** the id of the token that made it; null: the control plane did */
    maker: string | null;
    /** its owner; null: its name */
    owner: string | null;
    /** when it was made */
    createdAt: string;
    /** until when it counts; null: for ever */
    expiresAt: string | null;
    /** by this process; null: not since its start */
    lastUsedAt: string | null;
    /** when it got the secret that it has; null: it has its first */
    rotatedAt: string | null;
    /** until when the secret before that one counts, or counted; null: no longer than until then */
    previousUntil: string | null;
};

/** A token that was just made or rotated, with its secret. */
export type TokenWithSecret = {
    /** names it; no secret */
    id: string;
    /** for people */
    name: string;
    /** its rights */
    scopes: Array<"read" | "submit" | "cancel" | "admin" | "outlive" | "exec" | "delegate">;
    /** it counts for this queue only; null: for all */
    queue: string | null;
    /** the id of the token that made it; null: the control plane did */
    maker: string | null;
    /** its owner; null: its name */
    owner: string | null;
    /** when it was made */
    createdAt: string;
    /** until when it counts; null: for ever */
    expiresAt: string | null;
    /** by this process; null: not since its start */
    lastUsedAt: string | null;
    /** when it got the secret that it has; null: it has its first */
    rotatedAt: string | null;
    /** until when the secret before that one counts, or counted; null: no longer than until then */
    previousUntil: string | null;
    /** its text, shown in this answer and never again */
    token: string;
};

/** A page of tokens. */
export type TokenPage = {
    /** by id */
    tokens: Array<Token>;
    /** where the next page begins; absent on the last */
    cursor?: string;
};

/** A token that counts no more. */
export type TokenRevoked = {
    /** the revoked token */
    id: string;
    /** tokens of the API that count no more, or would; a join token: absent */
    revoked?: number;
    /** with dryRun: these, at most 1001 */
    tokens?: Array<Token>;
};

/** A person who is signed in from a browser. */
export type Session = {
    token: Token;
    /** when it ends at the latest */
    expiresAt: string;
    /** it ends when it was not used for so long */
    idleSeconds: number;
    /** the process of the control plane, with which it ends */
    instance: string;
};

/** A code for a link to the dashboard. */
export type SessionCode = {
    /** begins one session, once */
    code: string;
    /** a path of the dashboard that takes the code from its address */
    path: string;
    /** until when it counts */
    expiresAt: string;
};

/** One thing that was done, or refused. */
export type AuditRecord = {
    /** its place: batch and row */
    id: string;
    /** when */
    at: string;
    /** the token that asked, as 'token:ID NAME', or a part of Fairlead; in a refusal also 'unproved:ID'
     * (its secret is wrong, or it counts no more) and 'stranger' */
    actor: string;
    /** the action, its object, and more */
    what: string;
    /** its first word; in a refusal the operation, or the method */
    action: string;
    /** its second word; in a refusal the path */
    object: string;
    /** done; unauthenticated (401), denied (403), hidden: the object is another queue's */
    outcome: "done" | "unauthenticated" | "denied" | "hidden";
    /** the address that the request came from */
    peer?: string;
    /** a refusal's is in its answer and the log; a deed has the one of its traceparent */
    traceId?: string;
};

/** A page of the audit. */
export type AuditPage = {
    /** the newest first */
    audit: Array<AuditRecord>;
    /** where the next page begins; absent on the last */
    cursor?: string;
};

/** Resources that were set aside for attempts, in milliseconds of each. */
export type UsageHeld = {
    /** time of replicas, from placement to the end */
    replicaMillis: number;
    /** the same, times the processors that each asked for */
    cpuMillis: number;
    /** times the memory, in MiB */
    memoryMibMillis: number;
    /** times the accelerators */
    gpuMillis: number;
};

/** Resources that attempts used. */
export type UsageMeasured = {
    /** so many were measured; all below is of these alone */
    attempts: number;
    /** the processors that they held */
    heldCpuMillis: number;
    /** the CPU time that they used */
    cpuMillis: number;
    /** the peak of the replica that had the highest */
    memoryBytes: number;
    /** from block devices */
    readBytes: number;
    /** to block devices */
    writtenBytes: number;
};

/** The sums of one group. */
export type UsageGroup = {
    /** the day, with by=day */
    day?: string;
    /** with by=queue; null: it has no name any more */
    queue?: string | null;
    /** with by=submittedBy; null: not known */
    submittedBy?: string | null;
    /** the label's value, with by=label:KEY; null: none, or the label is not counted */
    label?: string | null;
    /** so many ended */
    attempts: number;
    held: UsageHeld;
    measured?: UsageMeasured;
};

/** Resources that ended attempts held and used. Each day has the share that fell into it. */
export type UsageReport = {
    /** the first day */
    since: string;
    /** the last day */
    until: string;
    /** attempts that ended later are not counted yet; null: all are */
    countedTo: string | null;
    /** there are more groups than 'limit' */
    hasMore: boolean;
    /** by day, then those that held most */
    usage: Array<UsageGroup>;
};

/** How long something took. */
export type ThroughputTimes = {
    /** so many are known */
    count: number;
    /** half of them are at most so long, within 19 %; null: there are none */
    p50Millis: number | null;
    /** 95 of a hundred are, likewise */
    p95Millis: number | null;
    /** the longest, exactly */
    maxMillis: number | null;
};

/** All steps together. */
export type ThroughputTotal = {
    /** jobs that were accepted */
    submitted: number;
    /** elements that were placed on a cluster for the first time; a retry is no further start */
    started: number;
    /** jobs that ended well */
    succeeded: number;
    /** jobs that failed */
    failed: number;
    /** jobs that were cancelled */
    cancelled: number;
    waits: ThroughputTimes;
    runs: ThroughputTimes;
};

/** The counts of an hour or a day. A job counts in the queue that it has when it is counted. */
export type ThroughputCounts = {
    /** the time with which it begins */
    at: string;
    /** jobs that were accepted */
    submitted: number;
    /** elements that were placed on a cluster for the first time; a retry is no further start */
    started: number;
    /** jobs that ended well */
    succeeded: number;
    /** jobs that failed */
    failed: number;
    /** jobs that were cancelled */
    cancelled: number;
    waits: ThroughputTimes;
    runs: ThroughputTimes;
};

/** Counts of jobs, step by step. */
export type Throughput = {
    /** the time with which the first step begins */
    since: string;
    /** the time with which the last step ends */
    until: string;
    /** how long a step is */
    step: "hour" | "day";
    /** an older release was running before, so no step has it; null: all is counted */
    countedFrom: string | null;
    /** later starts and ends are not counted yet; null: all are */
    countedTo: string | null;
    total: ThroughputTotal;
    /** each step, the oldest first, also those in which nothing happened */
    steps: Array<ThroughputCounts>;
};

/** A client certificate for an agent. */
export type Enrolment = {
    /** the cluster that the agent speaks for */
    cluster: string;
    /** the identity in the certificate, a UUID */
    id: string;
    /** the certificate's number */
    generation: number;
    /** as PEM */
    certificate: string;
    /** the certificate of the control plane's CA, as PEM */
    ca: string;
    /** when to ask for the next */
    renewAt: string;
};

/** Whether the control plane takes requests. */
export type Health = {
    /** it leads, and knows its tokens */
    ready: boolean;
    /** why it does not lead */
    why?: string;
    /** it decides */
    leading?: boolean;
    /** it knows its tokens */
    tokensLoaded?: boolean;
    /** counts the terms of leaders */
    epoch?: number;
    /** the engine's longest turn */
    turnLongestMicros?: number;
    /** for the engine */
    eventsWaiting?: number;
    /** open on this front */
    streams?: number;
    /** where agents dial */
    tunnelAddress?: string;
    database?: DatabaseHealth;
    disk?: DiskHealth;
    history?: HistoryHealth;
};

/** The database, as the control plane sees it. */
export type DatabaseHealth = {
    /** whether it answers */
    state: "ok" | "lost" | "full";
    /** since the start */
    commits: number;
    /** the slowest commit */
    commitLongestMillis: number;
};

/** The disk of the state directory. */
export type DiskHealth = {
    /** the log store has stopped for want of room */
    full: boolean;
    /** where logs and keys lie */
    freeBytes: number;
    /** the same */
    totalBytes: number;
};

/** Whether the database is as new as it should be. */
export type HistoryHealth = {
    /** agents know of a later database; a person must accept this one */
    disputed: boolean;
    /** takeovers since the start that found the database too old */
    losses: number;
    /** lost with the newest of them, at least */
    lostJobsMin: number;
    /** and at most */
    lostJobsMax: number;
};

/** Which version this is. */
export type Version = {
    /** the program's version */
    version: string;
    /** the API's version */
    api: string;
};

/** A job: a short form, with the fields of its one role at the top, or a long form, with `roles`. */
export type JobDocument = {
    /** For people; need not be unique. */
    name?: string;
    /** The queue it waits in; the preset is `default`. */
    queue?: string;
    /** Container image. A job with an image runs only on clusters whose runtime has images. */
    image?: string;
    /** The program and its first arguments; may be left out when there is an image. */
    command?: Array<string>;
    /** Further arguments. Words are passed as written: no shell, no substitution. */
    args?: Array<string>;
    /** Environment, as an object or as a list of name and value. Names that begin with `FAIRLEAD_` are
     * ours, but for `FAIRLEAD_PARAM_...`, which is the default of a parameter. */
    env?: Record<string, string> | Array<EnvVar>;
    /** Variables whose values are in a Secret of the pods' namespace, each as SECRET/KEY: `{HF_TOKEN:
     * hf-token/token}`. A job with them runs only on clusters whose runtime has images. */
    secretEnv?: Record<string, string> | Array<EnvVar>;
    /** The directory in which it starts; the preset is a fresh one, which is removed when it ends. */
    workingDir?: string;
    /** Parts of each replica's file system that come from elsewhere. A job with mounts runs only on
     * clusters whose runtime has images. */
    mounts?: Array<Mount>;
    /** Resources that each replica needs; they are set aside, and are also the limit. */
    resources?: JobResources;
    /** Number of replicas: all start together, or none. */
    replicas?: number;
    /** Labels that a node must carry. */
    nodeSelector?: Record<string, string>;
    /** Further conditions on the labels of a node, beside `nodeSelector`. */
    affinity?: Affinity;
    /** Taints of nodes that do not keep it off. A replica that asks for a device, as `gpus`, tolerates a
     * taint `NoSchedule` of that name by itself. */
    tolerations?: Array<Toleration>;
    /** Number of elements: each runs the whole job once and finds its number, from 0, in
     * `FAIRLEAD_ELEMENT`. */
    array?: number;
    /** Numbers for the elements, as `1-100:3,200`: each element finds its own in `FAIRLEAD_INDEX`. They say
     * how many elements there are; `array` may be left out. */
    indexes?: string;
    /** So many elements of its `array` run at the same time, and the others wait; without it as many as
     * there is room for. */
    parallelism?: number;
    /** The longest time from the first start; then the job is stopped and fails. */
    deadline?: string | number;
    /** How often a failed element runs again. A loss with a cluster does not count. */
    retry?: number;
    /** Only these clusters may run it. */
    clusters?: Array<string>;
    /** These clusters may not run it. */
    notClusters?: Array<string>;
    /** Only nodes that keep each replica within its limits of memory and CPU may run it. */
    requireLimits?: boolean;
    /** Key and value, for finding jobs again. */
    labels?: Record<string, string>;
    /** Within its queue, the higher goes first. */
    priority?: number;
    /** Accepted, but waits for `release`. */
    hold?: boolean;
    /** Parameters: `lr` reaches the replicas as `FAIRLEAD_PARAM_LR`, over what `env` says. */
    params?: Record<string, string>;
    /** Other jobs, whose ends it waits for. One that cannot end as it should any more ends this job, too,
     * as `cancelled` for reason `NeverMet`. */
    after?: Array<JobAfter>;
    /** It runs alone among singletons of its name and owner, in the order of submission. It needs a `name`. */
    singleton?: boolean;
    /** The long form: the kinds of replicas that run together, as one gang. */
    roles?: Array<JobRole>;
};

/** Resources that one replica needs. */
export type JobResources = {
    /** Cores: `2`, `1.5`, `500m`. */
    cpu?: string | number;
    /** Bytes: `2Gi`, `512M`. */
    memory?: string | number;
    /** Whole GPUs. */
    gpus?: string | number;
    /** Bytes of the node's own disk: `10Gi`. */
    "ephemeral-storage"?: string | number;
    /** Bytes in pages of 1Gi: a multiple of it, beside cpu or memory. */
    "hugepages-1Gi"?: string | number;
    /** Bytes in pages of 2Mi: a multiple of it, beside cpu or memory. */
    "hugepages-2Mi"?: string | number;
};

/** One kind of replica of the gang. */
export type JobRole = {
    /** Different in each role; part of the names of its pods. */
    name: string;
    /** Number of replicas of this role; at most 1024 over all roles. */
    replicas?: number;
    /** Must be the same as `replicas`, since gangs start whole. */
    min?: number;
    /** The pod, in the words of Kubernetes. */
    template: PodTemplate;
};

/** A pod template: the listed fields of Kubernetes. */
export type PodTemplate = {
    /** The pod. */
    spec: PodSpec;
};

/** The pod of each replica of the role. */
export type PodSpec = {
    /** Exactly one. */
    containers: Array<Container>;
    /** Labels that a node must carry; the same in all roles. */
    nodeSelector?: Record<string, string>;
    /** Further conditions on the labels of a node, beside `nodeSelector`; the same in all roles. */
    affinity?: Affinity;
    /** Taints of nodes that do not keep it off; the same in all roles. */
    tolerations?: Array<Toleration>;
    /** Seconds between the request to end (TERM) and the end (KILL). */
    terminationGracePeriodSeconds?: number;
    /** Only `Never`: the whole gang runs again, by `retry`. */
    restartPolicy?: unknown;
};

/** The container that runs. */
export type Container = {
    /** Container image. */
    image?: string;
    /** The program and its first arguments; may be left out when there is an image. */
    command?: Array<string>;
    /** Further arguments. */
    args?: Array<string>;
    /** Environment, as in the short form. */
    env?: Record<string, string> | Array<EnvVar>;
    /** Variables whose values are in a Secret, as in the short form. */
    secretEnv?: Record<string, string> | Array<EnvVar>;
    /** The directory in which it starts; the preset is a fresh one. */
    workingDir?: string;
    /** Parts of each replica's file system that come from elsewhere. */
    mounts?: Array<Mount>;
    /** Resources that each replica needs. */
    resources?: JobDemands;
};

/** As in Kubernetes: a resource without a request is requested at its limit. */
export type JobDemands = {
    /** Resources that are set aside. */
    requests?: KubeAmounts;
    /** The most it may use; the preset is no limit. */
    limits?: KubeAmounts;
};

/** Resources in the words of Kubernetes. */
export type KubeAmounts = {
    /** Cores: `2`, `1.5`, `500m`. */
    cpu?: string | number;
    /** Bytes: `2Gi`, `512M`. */
    memory?: string | number;
    /** Whole GPUs; request and limit are the same. */
    "nvidia.com/gpu"?: string | number;
    /** Bytes of the node's own disk: `10Gi`. */
    "ephemeral-storage"?: string | number;
    /** Bytes in pages of 1Gi: a multiple of it, beside cpu or memory. */
    "hugepages-1Gi"?: string | number;
    /** Bytes in pages of 2Mi: a multiple of it, beside cpu or memory. */
    "hugepages-2Mi"?: string | number;
};

/** As in Kubernetes, its node affinity only. */
export type Affinity = {
    /** Conditions on the labels of a node. */
    nodeAffinity?: NodeAffinity;
};

/** Required affinity only. */
export type NodeAffinity = {
    /** A node without it does not run the job. A label that changes later ends nothing. */
    requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
};

/** A node has to match one of its terms. */
export type NodeSelector = {
    /** The terms; all of them together have at most 4096 bytes, written as `zone in (a,b),!ssd`. */
    nodeSelectorTerms: Array<NodeSelectorTerm>;
};

/** A node has to match all of its requirements. */
export type NodeSelectorTerm = {
    /** The requirements; at most 32 over all terms. */
    matchExpressions: Array<NodeRequirement>;
};

/** A condition on one label of a node. */
export type NodeRequirement = {
    /** The key of the label. */
    key: string;
    /** `In`: the label has one of the values. `NotIn`: it has none of them, or is missing. `Exists` and
     * `DoesNotExist`: the label is there, or not. `Gt` and `Lt`: its value is a whole number over or under
     * the one here. */
    operator: "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt";
    /** One or more with `In` and `NotIn`, one whole number with `Gt` and `Lt`, none with the others. */
    values?: Array<string | number | boolean>;
};

/** A toleration, as in Kubernetes: it goes for taints of this key, value and effect. */
export type Toleration = {
    /** The key of the taint; without one, each taint: only with `operator: Exists`. */
    key?: string;
    /** `Exists`: the taint may have any value. The preset `Equal` wants the `value` here. */
    operator?: "" | "Equal" | "Exists";
    /** The value of the taint; not with `operator: Exists`. */
    value?: string | number | boolean;
    /** The effect of the taint; without one, each. A taint `PreferNoSchedule` keeps no job off. */
    effect?: "" | "NoSchedule" | "PreferNoSchedule" | "NoExecute";
};

/** A part of a replica's file system that comes from one of four sources: `claim`, `configMap`, `secret`,
 * `empty`. */
export type Mount = {
    /** Where it appears: an absolute path. */
    path: string;
    /** A PersistentVolumeClaim of this name, in the namespace of the pods. */
    claim?: string;
    /** A ConfigMap there: a file for each of its keys. */
    configMap?: string;
    /** A Secret there: a file for each of its keys. */
    secret?: string;
    /** `disk` or `memory`: a fresh directory, which goes with the replica. Files in `memory` count as
     * memory of the replica. */
    empty?: string;
    /** The most that an `empty` one may hold; the preset is no limit of its own. */
    size?: string | number;
    /** A relative path inside the claim, ConfigMap or Secret; the preset is all of it. */
    subPath?: string;
    /** Nothing can be written there. */
    readOnly?: boolean;
};

/** An item of `env` when that is a list. */
export type EnvVar = {
    /** Letters, digits, `_`, `.` and `-`, not beginning with a digit. */
    name: string;
    /** Any text; a number or true and false are taken as written. */
    value?: string;
};

/** A job that another one is to run after; `job` or `line` says which. */
export type JobAfter = {
    /** Its id. It may have ended. */
    job?: string;
    /** In a batch: the job of that line, which stands before this one. Lines count from 1; in a file of
     * several documents, documents do. */
    line?: number;
    /** The end that is waited for; the preset is `success`. A job that is cancelled has failed. With
     * `each`, elements wait for the same elements of another array. */
    on?: "success" | "any" | "failure" | "each";
};
