-- 0016_usage_day.sql - what attempts held and used, by day and by whose they were; see controlplane/usage.  It stays when
-- the jobs go.  'day' is counted from 1970-01-01, in UTC; 'owner' '' is not known; 'labels' has those that are counted.
create table usage_day(day int, tenant int, queue int, owner text, labels jsonb, attempts bigint not null,
  replica_ms bigint not null, cpu_ms bigint not null, memory_mib_ms bigint not null, gpu_ms bigint not null,
  measured bigint not null, measured_cpu_ms bigint not null, used_cpu_us bigint not null, memory_bytes bigint not null,
  read_bytes bigint not null, written_bytes bigint not null, primary key (day, tenant, queue, owner, labels));

-- All batches up to this one are in it; 'at' is that batch's time.
create table usage_mark(one bool primary key check (one), batch bigint not null, at bigint not null) with (fillfactor = 50);
insert into usage_mark(one, batch, at) values (true, 0, 0);
