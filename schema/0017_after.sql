-- 0017_after.sql - the ends of other jobs that a job waits for, as shared/base/dependency.h writes them; null: none.
alter table job add column after bytea;
