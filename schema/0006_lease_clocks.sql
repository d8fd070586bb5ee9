-- 0006_lease_clocks.sql - what the core's time was when the lease was last renewed, and what each clock said, in ms: the next leader goes
-- on by the smallest time that any of them has counted since (controlplane/engine/time_rule.h).  0: not kept yet.
alter table lease add column core_at bigint not null default 0, add column postgres_at bigint not null default 0,
  add column hub_at bigint not null default 0, add column uptime_at bigint not null default 0,
  add column boot bigint not null default 0;
