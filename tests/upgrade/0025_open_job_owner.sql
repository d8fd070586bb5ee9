--
-- PostgreSQL database dump
--

\restrict GE4Esz62cddJoC70iLZBucD92RRHKWOc7I3CxEHbibmnDKBiMc6jynAEuz8dn9B

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: audit_job(bytea); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.audit_job(body bytea) RETURNS bytea
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  select case
    when substr(body, 1, 9) = 'hold job-' then substr(body, 6)
    when substr(body, 1, 12) = 'release job-' then substr(body, 9)
    when substr(body, 1, 11) = 'cancel job-' then substr(body, 8)
    when substr(body, 1, 9) = 'edit job-' then substr(body, 6, position(' '::bytea in substr(body, 6) || ' '::bytea) - 1)
  end
$$;


--
-- Name: histogram_add(bigint[], bigint[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.histogram_add(a bigint[], b bigint[]) RETURNS bigint[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ARRAY(SELECT (COALESCE(u.x, (0)::bigint) + COALESCE(u.y, (0)::bigint)) FROM UNNEST(histogram_add.a, histogram_add.b) WITH ORDINALITY u(x, y, i) ORDER BY u.i);


--
-- Name: usage_number(bytea, integer, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.usage_number(usage bytea, at integer, bytes integer) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ((('x'::text || lpad(encode(substr(usage, at, bytes), 'hex'::text), 16, '0'::text)))::bit(64))::bigint;


SET default_tablespace = '';

--
-- Name: attempt; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.attempt (
    job bigint NOT NULL,
    batch bigint NOT NULL,
    element integer NOT NULL,
    n integer NOT NULL,
    prev integer NOT NULL,
    incarnation integer NOT NULL,
    cluster integer NOT NULL,
    nodes bytea,
    CONSTRAINT attempt_check CHECK ((prev = (n - 1)))
)
PARTITION BY RANGE (job);


--
-- Name: attempt_end; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.attempt_end (
    job bigint NOT NULL,
    batch bigint NOT NULL,
    element integer NOT NULL,
    n integer NOT NULL,
    exit_code integer NOT NULL,
    first_replica integer NOT NULL,
    reason smallint NOT NULL,
    outputs bytea,
    ready_at bigint DEFAULT 0 NOT NULL,
    usage bytea
)
PARTITION BY RANGE (job);


SET default_table_access_method = heap;

--
-- Name: attempt_end_p0; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.attempt_end_p0 (
    job bigint NOT NULL,
    batch bigint NOT NULL,
    element integer NOT NULL,
    n integer NOT NULL,
    exit_code integer NOT NULL,
    first_replica integer NOT NULL,
    reason smallint NOT NULL,
    outputs bytea,
    ready_at bigint DEFAULT 0 NOT NULL,
    usage bytea
);


--
-- Name: attempt_p0; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.attempt_p0 (
    job bigint NOT NULL,
    batch bigint NOT NULL,
    element integer NOT NULL,
    n integer NOT NULL,
    prev integer NOT NULL,
    incarnation integer NOT NULL,
    cluster integer NOT NULL,
    nodes bytea,
    CONSTRAINT attempt_check CHECK ((prev = (n - 1)))
);


--
-- Name: attempt_stop; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.attempt_stop (
    job bigint NOT NULL,
    batch bigint NOT NULL,
    element integer NOT NULL,
    n integer NOT NULL,
    exit_code integer NOT NULL,
    first_replica integer NOT NULL,
    reason smallint NOT NULL
)
PARTITION BY RANGE (job);


--
-- Name: attempt_stop_p0; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.attempt_stop_p0 (
    job bigint NOT NULL,
    batch bigint NOT NULL,
    element integer NOT NULL,
    n integer NOT NULL,
    exit_code integer NOT NULL,
    first_replica integer NOT NULL,
    reason smallint NOT NULL
);


--
-- Name: attempt_words; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.attempt_words (
    job bigint NOT NULL,
    batch bigint NOT NULL,
    element integer NOT NULL,
    n integer NOT NULL,
    words text NOT NULL
)
PARTITION BY RANGE (job);


--
-- Name: attempt_words_p0; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.attempt_words_p0 (
    job bigint NOT NULL,
    batch bigint NOT NULL,
    element integer NOT NULL,
    n integer NOT NULL,
    words text NOT NULL
);


--
-- Name: audit; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit (
    batch bigint NOT NULL,
    n integer NOT NULL,
    at bigint NOT NULL,
    tenant integer NOT NULL,
    actor bytea NOT NULL,
    body bytea NOT NULL,
    outcome text,
    peer text,
    trace text
)
PARTITION BY RANGE (batch);


--
-- Name: audit_p0; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit_p0 (
    batch bigint NOT NULL,
    n integer NOT NULL,
    at bigint NOT NULL,
    tenant integer NOT NULL,
    actor bytea NOT NULL,
    body bytea NOT NULL,
    outcome text,
    peer text,
    trace text
);


--
-- Name: cluster; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.cluster (
    id integer NOT NULL,
    state smallint NOT NULL,
    access smallint NOT NULL,
    is_draining boolean NOT NULL,
    session_epoch bigint NOT NULL,
    generation bigint NOT NULL,
    seen bigint NOT NULL,
    key bytea NOT NULL,
    name text NOT NULL,
    uid text NOT NULL,
    uuid text NOT NULL,
    cordon text NOT NULL
);


--
-- Name: counter; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.counter (
    id smallint NOT NULL,
    value bigint NOT NULL
);


--
-- Name: element_end; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.element_end (
    job bigint NOT NULL,
    batch bigint NOT NULL,
    element integer NOT NULL,
    n integer NOT NULL,
    exit_code integer NOT NULL,
    first_replica integer NOT NULL,
    state smallint NOT NULL,
    reason smallint NOT NULL,
    outputs bytea,
    usage bytea
)
PARTITION BY RANGE (job);


--
-- Name: element_end_p0; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.element_end_p0 (
    job bigint NOT NULL,
    batch bigint NOT NULL,
    element integer NOT NULL,
    n integer NOT NULL,
    exit_code integer NOT NULL,
    first_replica integer NOT NULL,
    state smallint NOT NULL,
    reason smallint NOT NULL,
    outputs bytea,
    usage bytea
);


--
-- Name: idempotency; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.idempotency (
    tenant integer NOT NULL,
    key bytea NOT NULL,
    at bigint NOT NULL,
    body_sha bytea NOT NULL,
    answer bytea NOT NULL
);


--
-- Name: job; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.job (
    id bigint NOT NULL,
    batch bigint NOT NULL,
    retry_of bigint,
    tenant integer NOT NULL,
    queue integer NOT NULL,
    priority integer NOT NULL,
    elements integer NOT NULL,
    spec bytea NOT NULL,
    name text,
    labels bytea,
    params bytea,
    picked bytea,
    shape integer DEFAULT 0 NOT NULL,
    deadline_s integer DEFAULT 0 NOT NULL,
    retries_max integer DEFAULT 0 NOT NULL,
    owner text,
    after bytea,
    is_singleton boolean DEFAULT false NOT NULL,
    parallelism integer DEFAULT 0 NOT NULL
)
PARTITION BY RANGE (id);


--
-- Name: job_edit; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.job_edit (
    job bigint NOT NULL,
    batch bigint NOT NULL,
    revision integer NOT NULL,
    queue integer NOT NULL,
    priority integer NOT NULL,
    deadline_s integer NOT NULL,
    name text,
    labels bytea,
    parallelism integer DEFAULT 0 NOT NULL,
    queue_was integer DEFAULT 0 NOT NULL
)
PARTITION BY RANGE (job);


--
-- Name: job_edit_p0; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.job_edit_p0 (
    job bigint NOT NULL,
    batch bigint NOT NULL,
    revision integer NOT NULL,
    queue integer NOT NULL,
    priority integer NOT NULL,
    deadline_s integer NOT NULL,
    name text,
    labels bytea,
    parallelism integer DEFAULT 0 NOT NULL,
    queue_was integer DEFAULT 0 NOT NULL
);


--
-- Name: job_end; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.job_end (
    job bigint NOT NULL,
    batch bigint NOT NULL,
    state smallint NOT NULL,
    reason smallint NOT NULL
)
PARTITION BY RANGE (job);


--
-- Name: job_end_p0; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.job_end_p0 (
    job bigint NOT NULL,
    batch bigint NOT NULL,
    state smallint NOT NULL,
    reason smallint NOT NULL
);


--
-- Name: job_p0; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.job_p0 (
    id bigint NOT NULL,
    batch bigint NOT NULL,
    retry_of bigint,
    tenant integer NOT NULL,
    queue integer NOT NULL,
    priority integer NOT NULL,
    elements integer NOT NULL,
    spec bytea NOT NULL,
    name text,
    labels bytea,
    params bytea,
    picked bytea,
    shape integer DEFAULT 0 NOT NULL,
    deadline_s integer DEFAULT 0 NOT NULL,
    retries_max integer DEFAULT 0 NOT NULL,
    owner text,
    after bytea,
    is_singleton boolean DEFAULT false NOT NULL,
    parallelism integer DEFAULT 0 NOT NULL
);


--
-- Name: join_token; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.join_token (
    token bytea NOT NULL,
    tenant integer NOT NULL,
    expires_at bigint NOT NULL,
    cluster integer NOT NULL,
    key bytea NOT NULL,
    name text NOT NULL
);


--
-- Name: journal; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.journal (
    batch bigint NOT NULL,
    prev bigint NOT NULL,
    epoch bigint NOT NULL,
    at bigint NOT NULL,
    body bytea NOT NULL,
    CONSTRAINT journal_check CHECK ((prev = (batch - 1)))
)
PARTITION BY RANGE (batch);
ALTER TABLE ONLY public.journal ALTER COLUMN body SET STORAGE EXTERNAL;


--
-- Name: journal_p0; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.journal_p0 (
    batch bigint NOT NULL,
    prev bigint NOT NULL,
    epoch bigint NOT NULL,
    at bigint NOT NULL,
    body bytea NOT NULL,
    CONSTRAINT journal_check CHECK ((prev = (batch - 1)))
);
ALTER TABLE ONLY public.journal_p0 ALTER COLUMN body SET STORAGE EXTERNAL;


--
-- Name: open_job; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.open_job (
    job bigint NOT NULL,
    tenant integer NOT NULL,
    shape integer NOT NULL,
    queue integer NOT NULL,
    priority integer NOT NULL,
    elements integer NOT NULL,
    deadline_s integer DEFAULT 0 NOT NULL,
    retries_max integer DEFAULT 0 NOT NULL,
    parallelism integer DEFAULT 0 NOT NULL,
    owner text
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='200000');


--
-- Name: late_open_job; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.late_open_job AS
 SELECT j.id AS job,
    j.tenant,
    j.queue,
    j.shape,
    j.priority,
    j.elements,
    j.deadline_s,
    j.retries_max,
    j.parallelism,
    j.owner
   FROM public.job j
  WHERE (COALESCE(
        CASE
            WHEN ((j.elements > 1) OR (j.picked IS NOT NULL)) THEN ( SELECT true
               FROM public.job_end e
              WHERE (e.job = j.id))
            ELSE ( SELECT true
               FROM public.element_end e
              WHERE ((e.job = j.id) AND (e.element = 0)))
        END, ( SELECT true
           FROM public.open_job o
          WHERE (o.job = j.id))) IS NULL);


--
-- Name: leader; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.leader (
    one boolean NOT NULL,
    epoch bigint NOT NULL,
    incarnation integer NOT NULL,
    writer_pid integer,
    writer_start timestamp with time zone,
    history text NOT NULL,
    CONSTRAINT leader_one_check CHECK (one)
);


--
-- Name: lease; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.lease (
    one boolean NOT NULL,
    holder text NOT NULL,
    instance text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    core_at bigint DEFAULT 0 NOT NULL,
    postgres_at bigint DEFAULT 0 NOT NULL,
    hub_at bigint DEFAULT 0 NOT NULL,
    uptime_at bigint DEFAULT 0 NOT NULL,
    boot bigint DEFAULT 0 NOT NULL,
    CONSTRAINT lease_one_check CHECK (one)
)
WITH (fillfactor='50');


--
-- Name: open_mark; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.open_mark (
    job bigint NOT NULL,
    kind smallint NOT NULL,
    value bigint NOT NULL,
    body bytea,
    at bigint NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='200000');


--
-- Name: pepper; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.pepper (
    only_one boolean DEFAULT true NOT NULL,
    sha256 bytea NOT NULL,
    CONSTRAINT pepper_only_one_check CHECK (only_one)
);


--
-- Name: queue; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.queue (
    id integer NOT NULL,
    tenant integer NOT NULL,
    is_paused boolean NOT NULL,
    name text NOT NULL,
    is_removed boolean DEFAULT false NOT NULL,
    has_default_cpu boolean DEFAULT false NOT NULL,
    default_cpu_milli integer DEFAULT 0 NOT NULL
);


--
-- Name: queue_hour; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.queue_hour (
    hours integer NOT NULL,
    hour integer NOT NULL,
    tenant integer NOT NULL,
    queue integer NOT NULL,
    submitted bigint NOT NULL,
    started bigint NOT NULL,
    succeeded bigint NOT NULL,
    failed bigint NOT NULL,
    cancelled bigint NOT NULL,
    waits bigint[] NOT NULL,
    wait_longest bigint NOT NULL,
    runs bigint[] NOT NULL,
    run_longest bigint NOT NULL
);


--
-- Name: resource; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.resource (
    id smallint NOT NULL,
    name text NOT NULL
);


--
-- Name: schema_version; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.schema_version (
    version integer NOT NULL,
    name text NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: shape; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.shape (
    id integer NOT NULL,
    body bytea NOT NULL
);


--
-- Name: spec; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.spec (
    job bigint NOT NULL,
    digest bytea NOT NULL,
    body bytea NOT NULL
)
PARTITION BY RANGE (job);


--
-- Name: spec_p0; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.spec_p0 (
    job bigint NOT NULL,
    digest bytea NOT NULL,
    body bytea NOT NULL
);


--
-- Name: token; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.token (
    id text NOT NULL,
    tenant integer NOT NULL,
    scopes smallint NOT NULL,
    made_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    mac bytea NOT NULL,
    name text NOT NULL,
    queue text NOT NULL,
    maker text,
    owner text,
    old_mac bytea DEFAULT decode(repeat('00'::text, 32), 'hex'::text) NOT NULL,
    old_until bigint DEFAULT 0 NOT NULL,
    rotated_at bigint DEFAULT 0 NOT NULL
);


--
-- Name: usage_day; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.usage_day (
    day integer NOT NULL,
    tenant integer NOT NULL,
    queue integer NOT NULL,
    owner text NOT NULL,
    labels jsonb NOT NULL,
    attempts bigint NOT NULL,
    replica_ms bigint NOT NULL,
    cpu_ms bigint NOT NULL,
    memory_mib_ms bigint NOT NULL,
    gpu_ms bigint NOT NULL,
    measured bigint NOT NULL,
    measured_cpu_ms bigint NOT NULL,
    used_cpu_us bigint NOT NULL,
    memory_bytes bigint NOT NULL,
    read_bytes bigint NOT NULL,
    written_bytes bigint NOT NULL
);


--
-- Name: usage_mark; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.usage_mark (
    one boolean NOT NULL,
    batch bigint NOT NULL,
    at bigint NOT NULL,
    hours_from bigint DEFAULT 0 NOT NULL,
    CONSTRAINT usage_mark_one_check CHECK (one)
)
WITH (fillfactor='50');


--
-- Name: attempt_end_p0; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.attempt_end ATTACH PARTITION public.attempt_end_p0 FOR VALUES FROM ('0') TO ('1000000');


--
-- Name: attempt_p0; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.attempt ATTACH PARTITION public.attempt_p0 FOR VALUES FROM ('0') TO ('1000000');


--
-- Name: attempt_stop_p0; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.attempt_stop ATTACH PARTITION public.attempt_stop_p0 FOR VALUES FROM ('0') TO ('1000000');


--
-- Name: attempt_words_p0; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.attempt_words ATTACH PARTITION public.attempt_words_p0 FOR VALUES FROM ('0') TO ('1000000');


--
-- Name: audit_p0; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit ATTACH PARTITION public.audit_p0 FOR VALUES FROM ('0') TO ('1000000');


--
-- Name: element_end_p0; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.element_end ATTACH PARTITION public.element_end_p0 FOR VALUES FROM ('0') TO ('1000000');


--
-- Name: job_edit_p0; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job_edit ATTACH PARTITION public.job_edit_p0 FOR VALUES FROM ('0') TO ('1000000');


--
-- Name: job_end_p0; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job_end ATTACH PARTITION public.job_end_p0 FOR VALUES FROM ('0') TO ('1000000');


--
-- Name: job_p0; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job ATTACH PARTITION public.job_p0 FOR VALUES FROM ('0') TO ('1000000');


--
-- Name: journal_p0; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.journal ATTACH PARTITION public.journal_p0 FOR VALUES FROM ('0') TO ('1000000');


--
-- Name: spec_p0; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.spec ATTACH PARTITION public.spec_p0 FOR VALUES FROM ('0') TO ('1000000');


--
-- Data for Name: attempt_end_p0; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.attempt_end_p0 VALUES (11, 40, 0, 1, -9, 0, 33, NULL, 1700000010000, NULL);
INSERT INTO public.attempt_end_p0 VALUES (12, 47, 6, 1, 0, -1, 37, NULL, 0, NULL);


--
-- Data for Name: attempt_p0; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.attempt_p0 VALUES (11, 37, 0, 1, 0, 1, 1, '\x6e6f64652d310a');
INSERT INTO public.attempt_p0 VALUES (11, 41, 0, 2, 1, 1, 1, NULL);
INSERT INTO public.attempt_p0 VALUES (12, 44, 4, 1, 0, 1, 1, '\x6e6f64652d320a');
INSERT INTO public.attempt_p0 VALUES (12, 46, 6, 1, 0, 1, 1, NULL);
INSERT INTO public.attempt_p0 VALUES (13, 48, 0, 1, 0, 1, 1, '\x6e6f64652d310a');


--
-- Data for Name: attempt_stop_p0; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.attempt_stop_p0 VALUES (13, 49, 0, 1, 3, 0, 33);


--
-- Data for Name: attempt_words_p0; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.attempt_words_p0 VALUES (13, 50, 0, 1, 'Error: no such thing');


--
-- Data for Name: audit_p0; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit_p0 VALUES (23, 0, 23000, 1, '\x6d65', '\x7375626d6974', NULL, NULL, NULL);


--
-- Data for Name: cluster; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.cluster VALUES (1, 1, 1, true, 7, 3, 2, '\x0104d10000000000000000000000000000000000000000000000000000000000', 'east-1', 'uid-1', '0e984725-c51c-4bf4-9960-e1c80e27aba1', 'disk');


--
-- Data for Name: counter; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.counter VALUES (2, 5000);
INSERT INTO public.counter VALUES (3, 5001);
INSERT INTO public.counter VALUES (1, 18);


--
-- Data for Name: element_end_p0; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.element_end_p0 VALUES (11, 42, 0, 2, 0, -1, 16, 32, NULL, '\x0100000001000000000016e360000000000400000000000000000010000000000000000200');
INSERT INTO public.element_end_p0 VALUES (12, 45, 4, 1, 3, 0, 17, 33, NULL, NULL);


--
-- Data for Name: idempotency; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.idempotency VALUES (1, '\x6b65792d31', 22000, '\x0107d10000000000000000000000000000000000000000000000000000000000', '\x616e73776572');


--
-- Data for Name: job_edit_p0; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.job_edit_p0 VALUES (14, 33, 1, 1, -7, 0, 'renamed-1', NULL, 0, 0);
INSERT INTO public.job_edit_p0 VALUES (14, 35, 2, 1, 11, 90, 'again-1', '\x633d640a', 4, 1);


--
-- Data for Name: job_end_p0; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.job_end_p0 VALUES (15, 55, 18, 35);


--
-- Data for Name: job_p0; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.job_p0 VALUES (11, 24, NULL, 1, 1, -5, 1, '\x0101d10000000000000000000000000000000000000000000000000000000000', 'first-1', NULL, NULL, NULL, 11, 3600, 3, 'ann', NULL, false, 0);
INSERT INTO public.job_p0 VALUES (12, 25, 11, 1, 1, 0, 2, '\x0101d10000000000000000000000000000000000000000000000000000000000', NULL, '\x613d620a', '\x7b2278223a317d', '\x04000000', 11, 0, 0, NULL, NULL, false, 1);
INSERT INTO public.job_p0 VALUES (13, 27, NULL, 1, 1, 0, 1, '\x0101d10000000000000000000000000000000000000000000000000000000000', NULL, NULL, NULL, NULL, 11, 60, 0, NULL, NULL, false, 0);
INSERT INTO public.job_p0 VALUES (15, 29, NULL, 1, 1, 0, 3, '\x0101d10000000000000000000000000000000000000000000000000000000000', NULL, NULL, NULL, NULL, 11, 0, 0, NULL, NULL, false, 2);
INSERT INTO public.job_p0 VALUES (16, 30, NULL, 1, 1, 0, 1, '\x0101d10000000000000000000000000000000000000000000000000000000000', 'sync-1', NULL, NULL, NULL, 11, 0, 0, 'ann', '\x0d0000000000000001', true, 0);
INSERT INTO public.job_p0 VALUES (14, 28, NULL, 1, 1, 11, 1, '\x0101d10000000000000000000000000000000000000000000000000000000000', 'again-1', '\x633d640a', NULL, NULL, 11, 90, 0, NULL, NULL, false, 4);


--
-- Data for Name: join_token; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.join_token VALUES ('\x0102d10000000000000000000000000000000000000000000000000000000000', 1, 1800000000000, 1, '\x0104d10000000000000000000000000000000000000000000000000000000000', 'east-1');


--
-- Data for Name: journal_p0; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.journal_p0 VALUES (0, -1, 0, 0, '\x');
INSERT INTO public.journal_p0 VALUES (1, 0, 1, 1000, '\x0228b52ffd2419c900000b1701000000010000000107747261696e2d310000000000001cf46971');
INSERT INTO public.journal_p0 VALUES (2, 1, 1, 2000, '\x0228b52ffd2419c900000b1701000000010000000007747261696e2d310001f5010000f0ffe4ab');
INSERT INTO public.journal_p0 VALUES (3, 2, 1, 3000, '\x0228b52ffd2459050100b012570102d1000100000000505c18a306656173742d310300c001cb75185004278e44ee');
INSERT INTO public.journal_p0 VALUES (4, 3, 1, 4000, '\x0228b52ffd247465020024040c720100000001010001000104d10006656173742d31057569642d312430653938343732352d633531632d346266342d393936302d653163383065323761626131000310000c91f83d02efef1229');
INSERT INTO public.journal_p0 VALUES (5, 4, 1, 5000, '\x0228b52ffd2459250100c812570102d1000100000000505c18a301010406656173742d3103005309fc8221061401771bf1e4');
INSERT INTO public.journal_p0 VALUES (6, 5, 1, 6000, '\x0228b52ffd2478ad0200a4040c76010000000101010700030002000104d10006656173742d31057569642d312430653938343732352d633531632d346266342d393936302d653163383065323761626131046469736b0410008c0c3cf0e005557e1655');
INSERT INTO public.journal_p0 VALUES (7, 6, 1, 7000, '\x0228b52ffd2459050100b012570103d1000100000000505c18a306776573742d310300c001cb751850048f840f73');
INSERT INTO public.journal_p0 VALUES (8, 7, 1, 8000, '\x0228b52ffd24226500003013200103d10001000c2802124b774c');
INSERT INTO public.journal_p0 VALUES (9, 8, 1, 9000, '\x0228b52ffd247dcd01000403147b01000000090068e5cf8b01000000505c18a30100000105d100066b6570742d310463692d3107747261696e2d3100020005119b0163b7c49e4a');
INSERT INTO public.journal_p0 VALUES (10, 9, 1, 10000, '\x0228b52ffd247d7502005404147b01000000090068e5cf8b01000000505c18a30100000107d100066b6570742d310463692d3107747261696e2d3100000105d100c0032a749701000000dc20749701000002000266cc003ce819066a');
INSERT INTO public.journal_p0 VALUES (11, 10, 1, 11000, '\x0228b52ffd247a350100e814780100000001000106d1000964726f707065642d31056f6c642d31000310008f16433a2ed8727c9b');
INSERT INTO public.journal_p0 VALUES (12, 11, 1, 12000, '\x0228b52ffd240c610000150a0964726f707065642d31dfba89f1');
INSERT INTO public.journal_p0 VALUES (13, 12, 1, 13000, '\x0228b52ffd240f790000180d010b782e696f2f667067612d31e625d6b2');
INSERT INTO public.journal_p0 VALUES (14, 13, 1, 14000, '\x0228b52ffd241399000003110b0000000c02010101e9070000000000004ac33737');
INSERT INTO public.journal_p0 VALUES (15, 14, 1, 15000, '\x0228b52ffd241399000003110c0000000c02010101d10f00000000000061e6a143');
INSERT INTO public.journal_p0 VALUES (16, 15, 1, 16000, '\x0228b52ffd240631000004040c000000d405f222');
INSERT INTO public.journal_p0 VALUES (17, 16, 1, 17000, '\x0228b52ffd240b5900000d090288130000000000006c03c160');
INSERT INTO public.journal_p0 VALUES (18, 17, 1, 18000, '\x0228b52ffd240b5900000d09038913000000000000377d071d');
INSERT INTO public.journal_p0 VALUES (19, 18, 1, 19000, '\x0228b52ffd243f2d0100e8023d0b000101d100147b22636f6d6d616e64223a5b2274727565225d7d0200809101100183917465');
INSERT INTO public.journal_p0 VALUES (20, 19, 1, 20000, '\x0228b52ffd243f2d0100e8023d0b000101d100147b22636f6d6d616e64223a5b2274727565225d7d0200809101100183917465');
INSERT INTO public.journal_p0 VALUES (21, 20, 1, 21000, '\x0228b52ffd240c610000170a01000000056b65792d31113ec45e');
INSERT INTO public.journal_p0 VALUES (22, 21, 1, 22000, '\x0228b52ffd2433ed0000b80f31010000000107d100056b65792d3106616e7377657201000c4002506d4c78');
INSERT INTO public.journal_p0 VALUES (23, 22, 1, 23000, '\x0228b52ffd24139900000e1101000000026d65067375626d6974000000cf899b97');
INSERT INTO public.journal_p0 VALUES (24, 23, 1, 24000, '\x0228b52ffd2461cd0100a402015f0b00010b000000fbffffff01d10766697273742d31000000100e0000030003616e6e0000000000000500390c7e0a9e797997d900b2f5536d5d');
INSERT INTO public.journal_p0 VALUES (25, 24, 1, 25000, '\x0228b52ffd2466b50100340201640c00010b0000020000000101d10004613d620a077b2278223a317d040401000000070000dfa708000a80bc98ed768e61200b39920a56');
INSERT INTO public.journal_p0 VALUES (26, 25, 1, 26000, '\x0228b52ffd2418a500006009160c0004020004040000000200608c011001fb914a4a');
INSERT INTO public.journal_p0 VALUES (27, 26, 1, 27000, '\x0228b52ffd2457ed00005001550d00010b0101d13c0700467132470010f33210f3de2eb301640177debe41');
INSERT INTO public.journal_p0 VALUES (28, 27, 1, 28000, '\x0228b52ffd2457e500006801550e00010b000000090101d10500e602fc6ce3c5e9ce310c6401cc550895');
INSERT INTO public.journal_p0 VALUES (29, 28, 1, 29000, '\x0228b52ffd24570d01009801550f00010b0000030000000101d1020000000500000380bb98e276990d200b63c19401');
INSERT INTO public.journal_p0 VALUES (30, 29, 1, 30000, '\x0228b52ffd2469850100e001671000010b0101d10673796e632d3103616e6e090d01010000000008002017a40acb6100c4bc0cc4bcb7cb6c005942382caa');
INSERT INTO public.journal_p0 VALUES (31, 30, 1, 31000, '\x0228b52ffd241ed5000090091c10000701000a03616e6e73796e632d310200608c0110019b8d6134');
INSERT INTO public.journal_p0 VALUES (32, 31, 1, 32000, '\x0228b52ffd241dcd000088091b1000050100090d00000000000000010200608c01100124f4cd1b');
INSERT INTO public.journal_p0 VALUES (33, 32, 1, 33000, '\x0228b52ffd242d4d010004021a2b0e0001f9ffffff000000000972656e616d65642d310000000000000000000200bb2c06400409c13eff');
INSERT INTO public.journal_p0 VALUES (34, 33, 1, 34000, '\x0228b52ffd2414a1000009120e0000000000000006010000000000000000c263db9f');
INSERT INTO public.journal_p0 VALUES (35, 34, 1, 35000, '\x0228b52ffd242f7901001a2d0e0000000000000002000000010000000b0000005a00000007616761696e2d3104633d640a0400000001000000b633608a');
INSERT INTO public.journal_p0 VALUES (36, 35, 1, 36000, '\x0228b52ffd2414a1000009120e0000000000000006020000000000000000149b5cb3');
INSERT INTO public.journal_p0 VALUES (37, 36, 1, 37000, '\x0228b52ffd2420cd000088051e0b000100010000076e6f64652d310a02003ba1374004ca32332d');
INSERT INTO public.journal_p0 VALUES (38, 37, 1, 38000, '\x0228b52ffd2419ad00007810170b00010000000000030000000001001b20024012d4ca');
INSERT INTO public.journal_p0 VALUES (39, 38, 1, 39000, '\x0228b52ffd2414a1000009120b00000000000000030068e5cf8b0100000032813815');
INSERT INTO public.journal_p0 VALUES (40, 39, 1, 40000, '\x0228b52ffd2424ed0000a806220b0001002100f7ffffff108fe5cf8b0100000002003405df00110d070e34');
INSERT INTO public.journal_p0 VALUES (41, 40, 1, 41000, '\x0228b52ffd2419ad00007805170b00020001000000010000000001001b200220dad582');
INSERT INTO public.journal_p0 VALUES (42, 41, 1, 42000, '\x0228b52ffd2442bd0100940207400b0002001020ffffffff0025010000000116e3600000000004000000001000000000000000020004003085cf3c0fb311181001db497ca6');
INSERT INTO public.journal_p0 VALUES (43, 42, 1, 43000, '\x0228b52ffd240f790000080d0b000000000000001020000001da77833f');
INSERT INTO public.journal_p0 VALUES (44, 43, 1, 44000, '\x0228b52ffd2420ed0000a8051e0c00040000000100010000076e6f64652d320a020029c20c800895d68848');
INSERT INTO public.journal_p0 VALUES (45, 44, 1, 45000, '\x0228b52ffd241de90000071b0c00000000000000040000000100112100030000000000000000004484248d');
INSERT INTO public.journal_p0 VALUES (46, 45, 1, 46000, '\x0228b52ffd2419c9000005170c00000000000000060000000100010000000100000000b762ef20');
INSERT INTO public.journal_p0 VALUES (47, 46, 1, 47000, '\x0228b52ffd242421010006220c00000000000000060000000100250000000000ffffffff0000000000000000000000915f0f');
INSERT INTO public.journal_p0 VALUES (48, 47, 1, 48000, '\x0228b52ffd2420cd000088051e0d000100010000076e6f64652d310a02003ba13740049807a592');
INSERT INTO public.journal_p0 VALUES (49, 48, 1, 49000, '\x0228b52ffd241ab500008016180d0001002100030000000000000001001b2002dcf0e227');
INSERT INTO public.journal_p0 VALUES (50, 49, 1, 50000, '\x0228b52ffd24250d0100d819230d000100144572726f723a206e6f2073756368207468696e6701001b2002dbeac731');
INSERT INTO public.journal_p0 VALUES (51, 50, 1, 51000, '\x0228b52ffd2414a1000009120e0000000000000001010000000000000000cb140f85');
INSERT INTO public.journal_p0 VALUES (52, 51, 1, 52000, '\x0228b52ffd240b5900000a090e00000000000000011b081445');
INSERT INTO public.journal_p0 VALUES (53, 52, 1, 53000, '\x0228b52ffd2414a1000009120e0000000000000001010000000000000000cb140f85');
INSERT INTO public.journal_p0 VALUES (54, 53, 1, 54000, '\x0228b52ffd2414a1000009120e0000000000000002230000000000000000960aa48b');
INSERT INTO public.journal_p0 VALUES (55, 54, 1, 55000, '\x0228b52ffd240f790000080d0f000000000000001223000100905c9c7a');
INSERT INTO public.journal_p0 VALUES (56, 55, 1, 56000, '\x0228b52ffd240739000011050100000000883d4aa0');
INSERT INTO public.journal_p0 VALUES (57, 56, 1, 57000, '\x0228b52ffd240b5900000d09011200000000000000854d4715');


--
-- Data for Name: leader; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.leader VALUES (true, 2, 1, 16898, '2026-11-30 20:13:41.787794+00', '7714060283196772837/00000001');


--
-- Data for Name: lease; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.lease VALUES (true, 'vm:16850:c93052dc35fbf5f5', 'upgrade', '2026-12-01 20:13:41.795237+00', 1796069621800, 1796069621801, 1796069621801, 2902860, 8862433174003033904);


--
-- Data for Name: open_job; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.open_job VALUES (12, 1, 11, 1, 0, 2, 0, 0, 1, NULL);
INSERT INTO public.open_job VALUES (13, 1, 11, 1, 0, 1, 60, 0, 0, NULL);
INSERT INTO public.open_job VALUES (14, 1, 11, 1, 11, 1, 90, 0, 4, NULL);
INSERT INTO public.open_job VALUES (16, 1, 11, 1, 0, 1, 0, 0, 0, 'ann');


--
-- Data for Name: open_mark; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.open_mark VALUES (12, 4, 2, '\x04000000', 26000);
INSERT INTO public.open_mark VALUES (16, 7, 1, '\x03616e6e73796e632d31', 31000);
INSERT INTO public.open_mark VALUES (16, 5, 1, '\x0d0000000000000001', 32000);
INSERT INTO public.open_mark VALUES (14, 6, 2, NULL, 36000);
INSERT INTO public.open_mark VALUES (14, 1, 1, NULL, 53000);
INSERT INTO public.open_mark VALUES (14, 2, 35, NULL, 54000);


--
-- Data for Name: pepper; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: queue; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.queue VALUES (1, 1, false, 'train-1', false, true, 501);


--
-- Data for Name: queue_hour; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: resource; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.resource VALUES (1, 'x.io/fpga-1');


--
-- Data for Name: schema_version; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.schema_version VALUES (1, '0001_init', '2026-11-30 20:13:41.613319+00');
INSERT INTO public.schema_version VALUES (2, '0002_exit_code', '2026-11-30 20:13:41.624509+00');
INSERT INTO public.schema_version VALUES (3, '0003_job_deadline', '2026-11-30 20:13:41.625297+00');
INSERT INTO public.schema_version VALUES (4, '0004_attempt_stop', '2026-11-30 20:13:41.626119+00');
INSERT INTO public.schema_version VALUES (5, '0005_queue_removed', '2026-11-30 20:13:41.629063+00');
INSERT INTO public.schema_version VALUES (6, '0006_lease_clocks', '2026-11-30 20:13:41.629756+00');
INSERT INTO public.schema_version VALUES (7, '0007_outputs', '2026-11-30 20:13:41.630864+00');
INSERT INTO public.schema_version VALUES (8, '0008_pepper', '2026-11-30 20:13:41.631483+00');
INSERT INTO public.schema_version VALUES (9, '0009_strangers', '2026-11-30 20:13:41.632704+00');
INSERT INTO public.schema_version VALUES (10, '0010_late_open_job', '2026-11-30 20:13:41.633507+00');
INSERT INTO public.schema_version VALUES (11, '0011_ready_at', '2026-11-30 20:13:41.635253+00');
INSERT INTO public.schema_version VALUES (12, '0012_resource', '2026-11-30 20:13:41.635916+00');
INSERT INTO public.schema_version VALUES (13, '0013_attempt_words', '2026-11-30 20:13:41.63719+00');
INSERT INTO public.schema_version VALUES (14, '0014_usage', '2026-11-30 20:13:41.638425+00');
INSERT INTO public.schema_version VALUES (15, '0015_owner', '2026-11-30 20:13:41.639496+00');
INSERT INTO public.schema_version VALUES (16, '0016_usage_day', '2026-11-30 20:13:41.640107+00');
INSERT INTO public.schema_version VALUES (17, '0017_after', '2026-11-30 20:13:41.641973+00');
INSERT INTO public.schema_version VALUES (18, '0018_queue_default_cpu', '2026-11-30 20:13:41.642606+00');
INSERT INTO public.schema_version VALUES (19, '0019_job_edit', '2026-11-30 20:13:41.643338+00');
INSERT INTO public.schema_version VALUES (20, '0020_token_rotate', '2026-11-30 20:13:41.644422+00');
INSERT INTO public.schema_version VALUES (21, '0021_queue_hour', '2026-11-30 20:13:41.645269+00');
INSERT INTO public.schema_version VALUES (22, '0022_singleton', '2026-11-30 20:13:41.647191+00');
INSERT INTO public.schema_version VALUES (23, '0023_parallelism', '2026-11-30 20:13:41.647824+00');
INSERT INTO public.schema_version VALUES (24, '0024_job_history', '2026-11-30 20:13:41.649351+00');
INSERT INTO public.schema_version VALUES (25, '0025_open_job_owner', '2026-11-30 20:13:41.650402+00');


--
-- Data for Name: shape; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.shape VALUES (11, '\x02010101e907000000000000');


--
-- Data for Name: spec_p0; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.spec_p0 VALUES (11, '\x0101d10000000000000000000000000000000000000000000000000000000000', '\x7b22636f6d6d616e64223a5b2274727565225d7d');


--
-- Data for Name: token; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.token VALUES ('kept-1', 1, 9, 1700000000000, 1800000000000, '\x0107d10000000000000000000000000000000000000000000000000000000000', 'ci-1', 'train-1', NULL, NULL, '\x0105d10000000000000000000000000000000000000000000000000000000000', 1750000600000, 1750000000000);


--
-- Data for Name: usage_day; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: usage_mark; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.usage_mark VALUES (true, 0, 0, 0);


--
-- Name: attempt_end attempt_end_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.attempt_end
    ADD CONSTRAINT attempt_end_pkey PRIMARY KEY (job, element, n);


--
-- Name: attempt_end_p0 attempt_end_p0_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.attempt_end_p0
    ADD CONSTRAINT attempt_end_p0_pkey PRIMARY KEY (job, element, n);


--
-- Name: attempt attempt_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.attempt
    ADD CONSTRAINT attempt_pkey PRIMARY KEY (job, element, n);


--
-- Name: attempt_p0 attempt_p0_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.attempt_p0
    ADD CONSTRAINT attempt_p0_pkey PRIMARY KEY (job, element, n);


--
-- Name: attempt_stop attempt_stop_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.attempt_stop
    ADD CONSTRAINT attempt_stop_pkey PRIMARY KEY (job, element, n);


--
-- Name: attempt_stop_p0 attempt_stop_p0_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.attempt_stop_p0
    ADD CONSTRAINT attempt_stop_p0_pkey PRIMARY KEY (job, element, n);


--
-- Name: attempt_words attempt_words_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.attempt_words
    ADD CONSTRAINT attempt_words_pkey PRIMARY KEY (job, element, n);


--
-- Name: attempt_words_p0 attempt_words_p0_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.attempt_words_p0
    ADD CONSTRAINT attempt_words_p0_pkey PRIMARY KEY (job, element, n);


--
-- Name: audit audit_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (batch, n);


--
-- Name: audit_p0 audit_p0_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit_p0
    ADD CONSTRAINT audit_p0_pkey PRIMARY KEY (batch, n);


--
-- Name: cluster cluster_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.cluster
    ADD CONSTRAINT cluster_pkey PRIMARY KEY (id);


--
-- Name: counter counter_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.counter
    ADD CONSTRAINT counter_pkey PRIMARY KEY (id);


--
-- Name: element_end element_end_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.element_end
    ADD CONSTRAINT element_end_pkey PRIMARY KEY (job, element);


--
-- Name: element_end_p0 element_end_p0_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.element_end_p0
    ADD CONSTRAINT element_end_p0_pkey PRIMARY KEY (job, element);


--
-- Name: idempotency idempotency_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.idempotency
    ADD CONSTRAINT idempotency_pkey PRIMARY KEY (tenant, key);


--
-- Name: job_edit job_edit_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job_edit
    ADD CONSTRAINT job_edit_pkey PRIMARY KEY (job, revision);


--
-- Name: job_edit_p0 job_edit_p0_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job_edit_p0
    ADD CONSTRAINT job_edit_p0_pkey PRIMARY KEY (job, revision);


--
-- Name: job_end job_end_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job_end
    ADD CONSTRAINT job_end_pkey PRIMARY KEY (job);


--
-- Name: job_end_p0 job_end_p0_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job_end_p0
    ADD CONSTRAINT job_end_p0_pkey PRIMARY KEY (job);


--
-- Name: job job_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job
    ADD CONSTRAINT job_pkey PRIMARY KEY (id);


--
-- Name: job_p0 job_p0_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job_p0
    ADD CONSTRAINT job_p0_pkey PRIMARY KEY (id);


--
-- Name: join_token join_token_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.join_token
    ADD CONSTRAINT join_token_pkey PRIMARY KEY (token);


--
-- Name: journal journal_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.journal
    ADD CONSTRAINT journal_pkey PRIMARY KEY (batch);


--
-- Name: journal_p0 journal_p0_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.journal_p0
    ADD CONSTRAINT journal_p0_pkey PRIMARY KEY (batch);


--
-- Name: leader leader_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.leader
    ADD CONSTRAINT leader_pkey PRIMARY KEY (one);


--
-- Name: lease lease_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.lease
    ADD CONSTRAINT lease_pkey PRIMARY KEY (one);


--
-- Name: open_job open_job_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.open_job
    ADD CONSTRAINT open_job_pkey PRIMARY KEY (job);


--
-- Name: open_mark open_mark_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.open_mark
    ADD CONSTRAINT open_mark_pkey PRIMARY KEY (job, kind);


--
-- Name: pepper pepper_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.pepper
    ADD CONSTRAINT pepper_pkey PRIMARY KEY (only_one);


--
-- Name: queue_hour queue_hour_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.queue_hour
    ADD CONSTRAINT queue_hour_pkey PRIMARY KEY (hours, hour, tenant, queue);


--
-- Name: queue queue_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.queue
    ADD CONSTRAINT queue_pkey PRIMARY KEY (id);


--
-- Name: resource resource_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.resource
    ADD CONSTRAINT resource_pkey PRIMARY KEY (id);


--
-- Name: schema_version schema_version_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.schema_version
    ADD CONSTRAINT schema_version_pkey PRIMARY KEY (version);


--
-- Name: shape shape_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.shape
    ADD CONSTRAINT shape_pkey PRIMARY KEY (id);


--
-- Name: spec spec_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.spec
    ADD CONSTRAINT spec_pkey PRIMARY KEY (job, digest);


--
-- Name: spec_p0 spec_p0_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.spec_p0
    ADD CONSTRAINT spec_p0_pkey PRIMARY KEY (job, digest);


--
-- Name: token token_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.token
    ADD CONSTRAINT token_pkey PRIMARY KEY (id);


--
-- Name: usage_day usage_day_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.usage_day
    ADD CONSTRAINT usage_day_pkey PRIMARY KEY (day, tenant, queue, owner, labels);


--
-- Name: usage_mark usage_mark_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.usage_mark
    ADD CONSTRAINT usage_mark_pkey PRIMARY KEY (one);


--
-- Name: audit_of_job; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_of_job ON ONLY public.audit USING btree (public.audit_job(body), batch) WHERE ((public.audit_job(body) IS NOT NULL) AND (outcome IS NULL));


--
-- Name: audit_p0_audit_job_batch_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX audit_p0_audit_job_batch_idx ON public.audit_p0 USING btree (public.audit_job(body), batch) WHERE ((public.audit_job(body) IS NOT NULL) AND (outcome IS NULL));


--
-- Name: idempotency_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idempotency_at ON public.idempotency USING brin (at);


--
-- Name: job_queue; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX job_queue ON ONLY public.job USING btree (queue, id);


--
-- Name: job_p0_queue_id_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX job_p0_queue_id_idx ON public.job_p0 USING btree (queue, id);


--
-- Name: attempt_end_p0_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.attempt_end_pkey ATTACH PARTITION public.attempt_end_p0_pkey;


--
-- Name: attempt_p0_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.attempt_pkey ATTACH PARTITION public.attempt_p0_pkey;


--
-- Name: attempt_stop_p0_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.attempt_stop_pkey ATTACH PARTITION public.attempt_stop_p0_pkey;


--
-- Name: attempt_words_p0_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.attempt_words_pkey ATTACH PARTITION public.attempt_words_p0_pkey;


--
-- Name: audit_p0_audit_job_batch_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.audit_of_job ATTACH PARTITION public.audit_p0_audit_job_batch_idx;


--
-- Name: audit_p0_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.audit_pkey ATTACH PARTITION public.audit_p0_pkey;


--
-- Name: element_end_p0_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.element_end_pkey ATTACH PARTITION public.element_end_p0_pkey;


--
-- Name: job_edit_p0_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.job_edit_pkey ATTACH PARTITION public.job_edit_p0_pkey;


--
-- Name: job_end_p0_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.job_end_pkey ATTACH PARTITION public.job_end_p0_pkey;


--
-- Name: job_p0_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.job_pkey ATTACH PARTITION public.job_p0_pkey;


--
-- Name: job_p0_queue_id_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.job_queue ATTACH PARTITION public.job_p0_queue_id_idx;


--
-- Name: journal_p0_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.journal_pkey ATTACH PARTITION public.journal_p0_pkey;


--
-- Name: spec_p0_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.spec_pkey ATTACH PARTITION public.spec_p0_pkey;


--
-- PostgreSQL database dump complete
--

\unrestrict GE4Esz62cddJoC70iLZBucD92RRHKWOc7I3CxEHbibmnDKBiMc6jynAEuz8dn9B

