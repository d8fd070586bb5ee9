-- 0003_job_deadline.sql - the deadline and the retries of a job, which its shape held before.  0: it has none, or it is older than
-- this: then they still stand in its shape's body, where a load finds them (docs/decisions/0067).
alter table open_job add column deadline_s int not null default 0, add column retries_max int not null default 0;
