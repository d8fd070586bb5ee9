-- 0002_exit_code.sql - each column has the name of its field in controlplane/core/rows.def.
alter table attempt_end rename column exit to exit_code;
alter table element_end rename column exit to exit_code;
