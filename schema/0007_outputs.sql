-- 0007_outputs.sql - a letter for each replica (replica_output.h) says whether more of its output will come.
alter table attempt_end add column outputs bytea;
alter table element_end add column outputs bytea;
