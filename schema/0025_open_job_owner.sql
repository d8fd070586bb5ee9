-- 0025_open_job_owner.sql - an open job knows its owner, so that each has a share of them; null: not known.
alter table open_job add column owner text;
update open_job o set owner = j.owner from job j where j.id = o.job and j.owner is not null;
-- As before, and with the new column at the end.
create or replace view late_open_job as
  select j.id as job, j.tenant, j.queue, j.shape, j.priority, j.elements, j.deadline_s, j.retries_max, j.parallelism, j.owner from job j
  where coalesce(case when j.elements > 1 or j.picked is not null
    then (select true from job_end e where e.job = j.id)
    else (select true from element_end e where e.job = j.id and e.element = 0) end,
    (select true from open_job o where o.job = j.id)) is null;
