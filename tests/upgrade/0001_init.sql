--
-- PostgreSQL database dump
--

\restrict Oog4h1NfjYAUfYDkN1uVKAc0Bh1BZEbERpSaGQKmtq3L6hjjuJfTHC0BQQBzcL6

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
    exit integer NOT NULL,
    first_replica integer NOT NULL,
    reason smallint NOT NULL
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
    exit integer NOT NULL,
    first_replica integer NOT NULL,
    reason smallint NOT NULL
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
-- Name: audit; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.audit (
    batch bigint NOT NULL,
    n integer NOT NULL,
    at bigint NOT NULL,
    tenant integer NOT NULL,
    actor bytea NOT NULL,
    body bytea NOT NULL
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
    body bytea NOT NULL
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
    exit integer NOT NULL,
    first_replica integer NOT NULL,
    state smallint NOT NULL,
    reason smallint NOT NULL
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
    exit integer NOT NULL,
    first_replica integer NOT NULL,
    state smallint NOT NULL,
    reason smallint NOT NULL
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
    picked bytea
)
PARTITION BY RANGE (id);


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
    picked bytea
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
    CONSTRAINT lease_one_check CHECK (one)
)
WITH (fillfactor='50');


--
-- Name: open_job; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.open_job (
    job bigint NOT NULL,
    at bigint NOT NULL,
    tenant integer NOT NULL,
    shape integer NOT NULL,
    queue integer NOT NULL,
    priority integer NOT NULL,
    elements integer NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='200000');


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
-- Name: queue; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.queue (
    id integer NOT NULL,
    tenant integer NOT NULL,
    is_paused boolean NOT NULL,
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
    queue text NOT NULL
);


--
-- Name: attempt_end_p0; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.attempt_end ATTACH PARTITION public.attempt_end_p0 FOR VALUES FROM ('0') TO ('1000000');


--
-- Name: attempt_p0; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.attempt ATTACH PARTITION public.attempt_p0 FOR VALUES FROM ('0') TO ('1000000');


--
-- Name: audit_p0; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.audit ATTACH PARTITION public.audit_p0 FOR VALUES FROM ('0') TO ('1000000');


--
-- Name: element_end_p0; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.element_end ATTACH PARTITION public.element_end_p0 FOR VALUES FROM ('0') TO ('1000000');


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

INSERT INTO public.attempt_end_p0 VALUES (11, 30, 0, 1, -9, 0, 33);
INSERT INTO public.attempt_end_p0 VALUES (12, 37, 6, 1, 0, -1, 37);


--
-- Data for Name: attempt_p0; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.attempt_p0 VALUES (11, 27, 0, 1, 0, 1, 1, '\x6e6f64652d310a');
INSERT INTO public.attempt_p0 VALUES (11, 31, 0, 2, 1, 1, 1, NULL);
INSERT INTO public.attempt_p0 VALUES (12, 34, 4, 1, 0, 1, 1, '\x6e6f64652d320a');
INSERT INTO public.attempt_p0 VALUES (12, 36, 6, 1, 0, 1, 1, NULL);
INSERT INTO public.attempt_p0 VALUES (13, 38, 0, 1, 0, 1, 1, '\x6e6f64652d310a');


--
-- Data for Name: audit_p0; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit_p0 VALUES (20, 0, 20000, 1, '\x6d65', '\x7375626d6974');


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

INSERT INTO public.element_end_p0 VALUES (11, 32, 0, 2, 0, -1, 16, 32);
INSERT INTO public.element_end_p0 VALUES (12, 35, 4, 1, 3, 0, 17, 33);


--
-- Data for Name: idempotency; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.idempotency VALUES (1, '\x6b65792d31', 19000, '\x0107d10000000000000000000000000000000000000000000000000000000000', '\x616e73776572');


--
-- Data for Name: job_end_p0; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.job_end_p0 VALUES (15, 43, 18, 35);


--
-- Data for Name: job_p0; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.job_p0 VALUES (11, 21, NULL, 1, 1, -5, 1, '\x0101d10000000000000000000000000000000000000000000000000000000000', 'first-1', NULL, NULL, NULL);
INSERT INTO public.job_p0 VALUES (12, 22, 11, 1, 1, 0, 2, '\x0101d10000000000000000000000000000000000000000000000000000000000', NULL, '\x613d620a', '\x7b2278223a317d', '\x04000000');
INSERT INTO public.job_p0 VALUES (13, 24, NULL, 1, 1, 0, 1, '\x0101d10000000000000000000000000000000000000000000000000000000000', NULL, NULL, NULL, NULL);
INSERT INTO public.job_p0 VALUES (14, 25, NULL, 1, 1, 9, 1, '\x0101d10000000000000000000000000000000000000000000000000000000000', NULL, NULL, NULL, NULL);
INSERT INTO public.job_p0 VALUES (15, 26, NULL, 1, 1, 0, 3, '\x0101d10000000000000000000000000000000000000000000000000000000000', NULL, NULL, NULL, NULL);


--
-- Data for Name: join_token; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.join_token VALUES ('\x0102d10000000000000000000000000000000000000000000000000000000000', 1, 1800000000000, 1, '\x0104d10000000000000000000000000000000000000000000000000000000000', 'east-1');


--
-- Data for Name: journal_p0; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.journal_p0 VALUES (0, -1, 0, 0, '\x');
INSERT INTO public.journal_p0 VALUES (1, 0, 1, 1000, '\x28b52ffd24129100000b01000000010000000107747261696e2d316cb5490c');
INSERT INTO public.journal_p0 VALUES (2, 1, 1, 2000, '\x28b52ffd24129100000b01000000010000000007747261696e2d31c7db9f05');
INSERT INTO public.journal_p0 VALUES (3, 2, 1, 3000, '\x28b52ffd2458fd0000a8120102d1000100000000505c18a306656173742d310300c001cb7518a00518c1fb0e');
INSERT INTO public.journal_p0 VALUES (4, 3, 1, 4000, '\x28b52ffd24735d020014040c0100000001010001000104d10006656173742d31057569642d312430653938343732352d633531632d346266342d393936302d653163383065323761626131000310000c91f8e502df5a1389');
INSERT INTO public.journal_p0 VALUES (5, 4, 1, 5000, '\x28b52ffd24581d0100c0120102d1000100000000505c18a301010406656173742d3103005309fc822106680104992958');
INSERT INTO public.journal_p0 VALUES (6, 5, 1, 6000, '\x28b52ffd2477a5020094040c010000000101010700030002000104d10006656173742d31057569642d312430653938343732352d633531632d346266342d393936302d653163383065323761626131046469736b0410008c0c3cf08004821231b6');
INSERT INTO public.journal_p0 VALUES (7, 6, 1, 7000, '\x28b52ffd2458fd0000a8120103d1000100000000505c18a306776573742d310300c001cb7518a0052f1e3f1e');
INSERT INTO public.journal_p0 VALUES (8, 7, 1, 8000, '\x28b52ffd24215d000028130103d10001000cd002ccc142ef');
INSERT INTO public.journal_p0 VALUES (9, 8, 1, 9000, '\x28b52ffd244aad0100e4021401000000090068e5cf8b01000000505c18a30100000105d100066b6570742d310463692d3107747261696e2d31010032600c863c9b92');
INSERT INTO public.journal_p0 VALUES (10, 9, 1, 10000, '\x28b52ffd2447250100e0140100000001000106d1000964726f707065642d31056f6c642d3100020080211d3002654557b2');
INSERT INTO public.journal_p0 VALUES (11, 10, 1, 11000, '\x28b52ffd240b590000150964726f707065642d31abb0d5f3');
INSERT INTO public.journal_p0 VALUES (12, 11, 1, 12000, '\x28b52ffd2414a10000030b0000000e01010101e90700000000000003003bf95a26');
INSERT INTO public.journal_p0 VALUES (13, 12, 1, 13000, '\x28b52ffd2414a10000030c0000000e01010101d10f000000000000030072bc5109');
INSERT INTO public.journal_p0 VALUES (14, 13, 1, 14000, '\x28b52ffd2405290000040c000000065aa52c');
INSERT INTO public.journal_p0 VALUES (15, 14, 1, 15000, '\x28b52ffd240a5100000d0288130000000000001ecdc2ce');
INSERT INTO public.journal_p0 VALUES (16, 15, 1, 16000, '\x28b52ffd240a5100000d03891300000000000007b985d7');
INSERT INTO public.journal_p0 VALUES (17, 16, 1, 17000, '\x28b52ffd243e250100e0020b000101d100147b22636f6d6d616e64223a5b2274727565225d7d02008091010c01b231495c');
INSERT INTO public.journal_p0 VALUES (18, 17, 1, 18000, '\x28b52ffd243e250100e0020b000101d100147b22636f6d6d616e64223a5b2274727565225d7d02008091010c01b231495c');
INSERT INTO public.journal_p0 VALUES (19, 18, 1, 19000, '\x28b52ffd2432e50000b00f010000000107d100056b65792d3106616e7377657201000c380282b8a74c');
INSERT INTO public.journal_p0 VALUES (20, 19, 1, 20000, '\x28b52ffd240f7900000e01000000026d65067375626d6974630cd728');
INSERT INTO public.journal_p0 VALUES (21, 20, 1, 21000, '\x28b52ffd2450450100c8010b00010b000000fbffffff01d10766697273742d310000000500b906801a3cf3f22eb301b80139060be4');
INSERT INTO public.journal_p0 VALUES (22, 21, 1, 22000, '\x28b52ffd24589501001402010c00010b00020000000101d1000004613d620a077b2278223a317d040400000006004f11003e00f9648edb6536003728a14a82');
INSERT INTO public.journal_p0 VALUES (23, 22, 1, 23000, '\x28b52ffd24179d000058090c0004020004040000000200608c010c0198b0f10b');
INSERT INTO public.journal_p0 VALUES (24, 23, 1, 24000, '\x28b52ffd2449c5000040010d00010b0101d1060073040099970b32c7ed321b801b0a8be9d3');
INSERT INTO public.journal_p0 VALUES (25, 24, 1, 25000, '\x28b52ffd2449dd000060010e00010b000000090101d1050072040085c74bd65d660370031fa959e7');
INSERT INTO public.journal_p0 VALUES (26, 25, 1, 26000, '\x28b52ffd2449e5000070010f00010b00030000000101d10005006000e04e26be5d660370030034bd34');
INSERT INTO public.journal_p0 VALUES (27, 26, 1, 27000, '\x28b52ffd241fc5000080050b000100010000076e6f64652d310a02003ba13730048766451d');
INSERT INTO public.journal_p0 VALUES (28, 27, 1, 28000, '\x28b52ffd2418a5000070100b00010000000000030000000001001b1802a18da396');
INSERT INTO public.journal_p0 VALUES (29, 28, 1, 29000, '\x28b52ffd2413990000090b00000000000000030068e5cf8b01000000c5d51a9a');
INSERT INTO public.journal_p0 VALUES (30, 29, 1, 30000, '\x28b52ffd2419ad000078060b0001002100f7ffffff0000000001001b180267999d96');
INSERT INTO public.journal_p0 VALUES (31, 30, 1, 31000, '\x28b52ffd2418a5000070050b00020001000000010000000001001b18022e0bb4c9');
INSERT INTO public.journal_p0 VALUES (32, 31, 1, 32000, '\x28b52ffd241ab5000080070b00020010200000000000ffffffff01001b1802c28ac555');
INSERT INTO public.journal_p0 VALUES (33, 32, 1, 33000, '\x28b52ffd240e710000080b000000000000001020000001455c57ff');
INSERT INTO public.journal_p0 VALUES (34, 33, 1, 34000, '\x28b52ffd241fe50000a0050c00040000000100010000076e6f64652d320a020029c20c600802d6d807');
INSERT INTO public.journal_p0 VALUES (35, 34, 1, 35000, '\x28b52ffd241ad10000070c000000000000000400000001001121000300000000000000d190f100');
INSERT INTO public.journal_p0 VALUES (36, 35, 1, 36000, '\x28b52ffd2418c10000050c000000000000000600000001000100000001000000000400b9b7');
INSERT INTO public.journal_p0 VALUES (37, 36, 1, 37000, '\x28b52ffd2419c90000060c00000000000000060000000100250000000000fffffffff6073383');
INSERT INTO public.journal_p0 VALUES (38, 37, 1, 38000, '\x28b52ffd241fc5000080050d000100010000076e6f64652d310a02003ba1373004534d2d5e');
INSERT INTO public.journal_p0 VALUES (39, 38, 1, 39000, '\x28b52ffd2413990000090e000000000000000101000000000000000002704d2d');
INSERT INTO public.journal_p0 VALUES (40, 39, 1, 40000, '\x28b52ffd240a5100000a0e000000000000000113331461');
INSERT INTO public.journal_p0 VALUES (41, 40, 1, 41000, '\x28b52ffd2413990000090e000000000000000101000000000000000002704d2d');
INSERT INTO public.journal_p0 VALUES (42, 41, 1, 42000, '\x28b52ffd2413990000090e00000000000000022300000000000000005b0d11d8');
INSERT INTO public.journal_p0 VALUES (43, 42, 1, 43000, '\x28b52ffd240e710000080f00000000000000122300010082c2336f');
INSERT INTO public.journal_p0 VALUES (44, 43, 1, 44000, '\x28b52ffd2406310000110100000000b999e0d7');
INSERT INTO public.journal_p0 VALUES (45, 44, 1, 45000, '\x28b52ffd240a5100000d0112000000000000003bfb5d0a');


--
-- Data for Name: leader; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.leader VALUES (true, 1, 1, 11838, '2026-11-23 03:19:49.96553+00', '7711201416332226073/00000001');


--
-- Data for Name: lease; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.lease VALUES (true, 'vm:11783:84ad48041156d689', 'upgrade', '2026-11-24 03:19:49.971968+00');


--
-- Data for Name: open_job; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.open_job VALUES (12, 22000, 1, 11, 1, 0, 2);
INSERT INTO public.open_job VALUES (13, 24000, 1, 11, 1, 0, 1);
INSERT INTO public.open_job VALUES (14, 25000, 1, 11, 1, 9, 1);


--
-- Data for Name: open_mark; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.open_mark VALUES (12, 4, 2, '\x04000000', 23000);
INSERT INTO public.open_mark VALUES (14, 1, 1, NULL, 41000);
INSERT INTO public.open_mark VALUES (14, 2, 35, NULL, 42000);


--
-- Data for Name: queue; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.queue VALUES (1, 1, false, 'train-1');


--
-- Data for Name: schema_version; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.schema_version VALUES (1, '0001_init', '2026-11-23 03:19:49.938998+00');


--
-- Data for Name: shape; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.shape VALUES (11, '\x01010101e9070000000000000300');


--
-- Data for Name: spec_p0; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.spec_p0 VALUES (11, '\x0101d10000000000000000000000000000000000000000000000000000000000', '\x7b22636f6d6d616e64223a5b2274727565225d7d');


--
-- Data for Name: token; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.token VALUES ('kept-1', 1, 9, 1700000000000, 1800000000000, '\x0105d10000000000000000000000000000000000000000000000000000000000', 'ci-1', 'train-1');


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
-- Name: queue queue_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.queue
    ADD CONSTRAINT queue_pkey PRIMARY KEY (id);


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
-- Name: audit_p0_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.audit_pkey ATTACH PARTITION public.audit_p0_pkey;


--
-- Name: element_end_p0_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.element_end_pkey ATTACH PARTITION public.element_end_p0_pkey;


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

\unrestrict Oog4h1NfjYAUfYDkN1uVKAc0Bh1BZEbERpSaGQKmtq3L6hjjuJfTHC0BQQBzcL6

