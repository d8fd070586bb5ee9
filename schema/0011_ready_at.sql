-- 0011_ready_at.sql - when the next attempt may start, in ms, so that a wait outlives its leader; 0: not known.
alter table attempt_end add column ready_at bigint not null default 0;
