-- 0010_late_open_job.sql - a job that ends soon has no row in open_job: it is written only when so many newer jobs were accepted, and
-- by a takeover (docs/decisions/0084).  So job holds what a load needs of a job.  0: the job is older than this, and is in open_job.
alter table job add column shape int not null default 0, add column deadline_s int not null default 0,
  add column retries_max int not null default 0;
alter table open_job drop column at;
-- The open jobs that open_job has no row for.  To be asked by a range of ids: it looks at each job in it, at one end by its key.
create view late_open_job as
  select j.id as job, j.tenant, j.queue, j.shape, j.priority, j.elements, j.deadline_s, j.retries_max from job j
  where coalesce(case when j.elements > 1 or j.picked is not null
    then (select true from job_end e where e.job = j.id)
    else (select true from element_end e where e.job = j.id and e.element = 0) end,
    (select true from open_job o where o.job = j.id)) is null;
