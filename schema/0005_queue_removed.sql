-- 0005_queue_removed.sql - a removed queue keeps its row: its ended jobs name it, and a queue made under its name is it again.
alter table queue add column is_removed bool not null default false;
