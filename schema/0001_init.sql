-- 0001_init.sql - what Fairlead keeps in Postgres, from the first release on.
--
-- Each column is a field of controlplane/core/rows.def or says here what it is.  The journal holds one row a
-- commit, its body the rows of that commit in the order they were decided (controlplane/store/journal.h); every
-- other table is their fold.
-- Nothing hot is updated.  The constraints carry what must never break:
--   the chain            journal: prev and epoch are NOT NULL and filled by scalar subqueries
--   one live attempt     attempt.prev is the ended attempt before it, else NULL, which is refused
--   one terminal row     primary keys of element_end and job_end
-- Unsigned numbers of 32 bits are stored bit for bit in int.  'batch' leads to the journal row, and so to the
-- time.  Partitions are made and removed by controlplane/store/partition.c, the first ones at once after this
-- file; there is no DEFAULT partition and no foreign key between partitioned tables, since either forbids
-- DETACH CONCURRENTLY.

-- Who may write.  Changed only by a takeover.  'history' is the system identifier and timeline that the
-- incarnation belongs to: another one means that history may have been cut.
create table leader(one bool primary key check (one), epoch bigint not null, incarnation int not null,
  writer_pid int, writer_start timestamptz, history text not null);
insert into leader(one, epoch, incarnation, history)
  select true, 0, 1, s.system_identifier || '/' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8)
  from pg_control_system() s;

-- Who leads, and how long that holds unless renewed.  holder '' is nobody.
create table lease(one bool primary key check (one), holder text not null, instance text not null,
  expires_at timestamptz not null) with (fillfactor = 50);
insert into lease(one, holder, instance, expires_at) values (true, '', '', '-infinity');

create table journal(batch bigint primary key, prev bigint not null check (prev = batch - 1), epoch bigint not null,
  at bigint not null, body bytea not null) partition by range (batch);
alter table journal alter body set storage external; -- partitions made with LIKE ... INCLUDING ALL inherit it

-- With a time of its own, since it may be kept longer than the journal.
create table audit(batch bigint, n int, at bigint not null, tenant int not null, actor bytea not null,
  body bytea not null, primary key (batch, n)) partition by range (batch);

create table job(id bigint primary key, batch bigint not null, retry_of bigint, tenant int not null, queue int not null,
  priority int not null, elements int not null, spec bytea not null, name text, labels bytea, params bytea, picked bytea)
  partition by range (id);
create index job_queue on job(queue, id);

-- 'job' is the one that brought it; a later job of the same range of ids finds it there.
create table spec(job bigint, digest bytea, body bytea not null, primary key (job, digest)) partition by range (job);

create table attempt(job bigint, batch bigint not null, element int, n int, prev int not null check (prev = n - 1),
  incarnation int not null, cluster int not null, nodes bytea, primary key (job, element, n)) partition by range (job);

create table attempt_end(job bigint, batch bigint not null, element int, n int, exit int not null,
  first_replica int not null, reason smallint not null, primary key (job, element, n)) partition by range (job);

create table element_end(job bigint, batch bigint not null, element int, n int not null, exit int not null,
  first_replica int not null, state smallint not null, reason smallint not null,
  primary key (job, element)) partition by range (job);

-- Arrays only: a plain job ends with its element 0.
create table job_end(job bigint primary key, batch bigint not null, state smallint not null, reason smallint not null)
  partition by range (job);

-- What a fresh core is loaded from, with the attempts and ends of these jobs: a row per open job, and one per mark
-- (enum core_mark) that is set on it.
create table open_job(job bigint primary key, at bigint not null, tenant int not null, shape int not null,
  queue int not null, priority int not null, elements int not null)
  with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200000);
create table open_mark(job bigint, kind smallint, value bigint not null, body bytea, at bigint not null,
  primary key (job, kind))
  with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200000);

create table shape(id int primary key, body bytea not null);
create table queue(id int primary key, tenant int not null, is_paused bool not null, name text not null);
create table cluster(id int primary key, state smallint not null, access smallint not null, is_draining bool not null,
  session_epoch bigint not null, generation bigint not null, seen bigint not null, key bytea not null, name text not null,
  uid text not null, uuid text not null, cordon text not null);
create table counter(id smallint primary key, value bigint not null); -- enum core_counter

-- Secrets are elsewhere: a join token is kept as its SHA-256, a token of the API as an HMAC under a pepper that is a
-- file of the control plane.  cluster 0: not used.  expires_at 0: never.
create table join_token(token bytea primary key, tenant int not null, expires_at bigint not null, cluster int not null,
  key bytea not null, name text not null);
create table token(id text primary key, tenant int not null, scopes smallint not null, made_at bigint not null,
  expires_at bigint not null, mac bytea not null, name text not null, queue text not null);

create table idempotency(tenant int, key bytea, at bigint not null, body_sha bytea not null, answer bytea not null,
  primary key (tenant, key));
create index idempotency_at on idempotency using brin (at);
