-- 0015_owner.sql - the owner of the token that submitted a job, or the token's name; null: not known.
alter table job add column owner text;
