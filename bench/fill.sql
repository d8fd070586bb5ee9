-- fill.sql - many jobs like job 1, as the product would have written them, for the benchmark of a start (B16).
-- Variables: verb (journal, ended, queued, arrays), lo and hi (ids, both included).  A batch is 2,000 jobs.  The journal's
-- bodies are 1 KiB instead of about 800: a start reads the newest key alone.
\set ON_ERROR_STOP 1
set synchronous_commit = off;
select :'verb' = 'journal' as is_journal, :'verb' = 'ended' as is_ended, :'verb' in ('queued', 'arrays') as is_queued,
  :'verb' = 'arrays' as is_arrays, case :'verb' when 'arrays' then 1000000 else 1 end as elements \gset
\if :is_journal
insert into journal(batch, prev, epoch, at, body)
  select m.batch + g, m.batch + g - 1, m.epoch, m.at, decode(repeat('78', 1024), 'hex')
  from generate_series(1, (:hi - :lo + 1) / 2000 + 1) g, (select * from journal order by batch desc limit 1) m;
\endif
\if :is_journal
\else
insert into job(id, batch, retry_of, tenant, queue, shape, priority, elements, spec, name, labels, params, picked, owner)
  select g, j.batch + g / 2000, null, j.tenant, j.queue, j.shape, j.priority, :elements, j.spec, j.name, j.labels, j.params, null, 'owner-' || g % 50
  from generate_series(:lo::int8, :hi::int8) g, (select * from job where id = 1) j;
\endif
\if :is_ended
insert into attempt(job, batch, element, n, prev, incarnation, cluster, nodes)
  select g, j.batch + g / 2000, 0, 1, 0, 1, 1, 'node-0'
  from generate_series(:lo::int8, :hi::int8) g, (select * from job where id = 1) j;
insert into element_end(job, batch, element, n, exit_code, first_replica, state, reason)
  select g, j.batch + g / 2000, 0, 1, 0, 0, 16, 0
  from generate_series(:lo::int8, :hi::int8) g, (select * from job where id = 1) j;
\endif
\if :is_queued
insert into open_job(job, tenant, shape, queue, priority, elements, owner)
  select g, j.tenant, j.shape, j.queue, j.priority, :elements, 'owner-' || g % 50
  from generate_series(:lo::int8, :hi::int8) g, (select * from job where id = 1) j;
\endif
-- Arrays of a million elements, of which 900,000 have ended.
\if :is_arrays
insert into attempt(job, batch, element, n, prev, incarnation, cluster, nodes)
  select g, j.batch + 1 + e / 2000, e, 1, 0, 1, 1, 'node-0'
  from generate_series(:lo::int8, :hi::int8) g, generate_series(0, 899999) e, (select * from job where id = 1) j;
insert into element_end(job, batch, element, n, exit_code, first_replica, state, reason)
  select g, j.batch + 1 + e / 2000, e, 1, 0, 0, 16, 0
  from generate_series(:lo::int8, :hi::int8) g, generate_series(0, 899999) e, (select * from job where id = 1) j;
\endif
