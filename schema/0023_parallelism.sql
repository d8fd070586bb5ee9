-- 0023_parallelism.sql - how many elements of an array may run at the same time; 0: all.
alter table job add column parallelism int not null default 0;
alter table open_job add column parallelism int not null default 0;
alter table job_edit add column parallelism int not null default 0;
-- As before, and with the new column at the end.
create or replace view late_open_job as
  select j.id as job, j.tenant, j.queue, j.shape, j.priority, j.elements, j.deadline_s, j.retries_max, j.parallelism from job j
  where coalesce(case when j.elements > 1 or j.picked is not null
    then (select true from job_end e where e.job = j.id)
    else (select true from element_end e where e.job = j.id and e.element = 0) end,
    (select true from open_job o where o.job = j.id)) is null;
