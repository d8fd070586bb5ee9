-- 0013_attempt_words.sql - what the cluster said of the replica that failed first.  Its partitions are those of attempt.
create table attempt_words(job bigint, batch bigint not null, element int, n int, words text not null,
  primary key (job, element, n)) partition by range (job);
do $$
declare
  part record;
begin
  for part in
    select substr(c.relname, length('attempt') + 1) as suffix, pg_get_expr(c.relpartbound, c.oid) as bounds
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'attempt'::regclass
  loop
    execute format('create table %I (like attempt_words including all)', 'attempt_words' || part.suffix);
    execute format('alter table attempt_words attach partition %I %s', 'attempt_words' || part.suffix, part.bounds);
  end loop;
end $$;
