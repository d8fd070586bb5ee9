-- 0004_attempt_stop.sql - which replica of a gang failed first, kept from the batch that stops the others: the ends that follow are
-- not the cause.  Its partitions are those of attempt.
create table attempt_stop(job bigint, batch bigint not null, element int, n int, exit_code int not null,
  first_replica int not null, reason smallint not null, primary key (job, element, n)) partition by range (job);
do $$
declare
  part record;
begin
  for part in
    select substr(c.relname, length('attempt') + 1) as suffix, pg_get_expr(c.relpartbound, c.oid) as bounds
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'attempt'::regclass
  loop
    execute format('create table %I (like attempt_stop including all)', 'attempt_stop' || part.suffix);
    execute format('alter table attempt_stop attach partition %I %s', 'attempt_stop' || part.suffix, part.bounds);
  end loop;
end $$;
