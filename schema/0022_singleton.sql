-- 0022_singleton.sql - jobs that run one at a time under their name and owner; false: it does not.
alter table job add column is_singleton boolean not null default false;
