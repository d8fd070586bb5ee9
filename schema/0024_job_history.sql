-- 0024_job_history.sql - what the events of a job need.
-- The queue of a job before each of its edits; 0: an older program wrote the row.
alter table job_edit add column queue_was int not null default 0;
-- The job that a record names as held, released, stopped or edited, as in 'hold job-7'; else NULL.  Those are few: submissions name none.
create function audit_job(body bytea) returns bytea language sql immutable parallel safe as $$
  select case
    when substr(body, 1, 9) = 'hold job-' then substr(body, 6)
    when substr(body, 1, 12) = 'release job-' then substr(body, 9)
    when substr(body, 1, 11) = 'cancel job-' then substr(body, 8)
    when substr(body, 1, 9) = 'edit job-' then substr(body, 6, position(' '::bytea in substr(body, 6) || ' '::bytea) - 1)
  end
$$;
create index audit_of_job on audit(audit_job(body), batch) where audit_job(body) is not null and outcome is null;
