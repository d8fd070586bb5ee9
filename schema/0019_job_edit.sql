-- 0019_job_edit.sql - what a job became each time that it was edited; its rows in job and open_job say the same from then on.  Its
-- partitions are those of attempt.
create table job_edit(job bigint, batch bigint not null, revision int, queue int not null, priority int not null, deadline_s int not null,
  name text, labels bytea, primary key (job, revision)) partition by range (job);
do $$
declare
  part record;
begin
  for part in
    select substr(c.relname, length('attempt') + 1) as suffix, pg_get_expr(c.relpartbound, c.oid) as bounds
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'attempt'::regclass
  loop
    execute format('create table %I (like job_edit including all)', 'job_edit' || part.suffix);
    execute format('alter table job_edit attach partition %I %s', 'job_edit' || part.suffix, part.bounds);
  end loop;
end $$;
