-- 0009_strangers.sql - a token knows the token that made it and its owner; an audit row knows where a request came from, its trace,
-- and the outcome of one that was refused.  Older rows know none of it.
alter table token add column maker text;
alter table token add column owner text;
alter table audit add column outcome text;
alter table audit add column peer text;
alter table audit add column trace text;
