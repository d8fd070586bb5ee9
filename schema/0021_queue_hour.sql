-- 0021_queue_hour.sql - submissions, starts and ends of the jobs of a queue, by hour and by day; see
-- controlplane/usage/usage_hour.h.  It stays when the jobs go.  A row is of 'hours' hours, 1 or 24, from 'hour' on, which is
-- counted from 1970, in UTC; queue 0 is all of a tenant's.  'waits' and 'runs' are histograms as shared/base/histogram.h lays
-- them out, without the zeros at their end.
create table queue_hour(hours int, hour int, tenant int, queue int, submitted bigint not null, started bigint not null,
  succeeded bigint not null, failed bigint not null, cancelled bigint not null, waits bigint[] not null, wait_longest bigint not null,
  runs bigint[] not null, run_longest bigint not null, primary key (hours, hour, tenant, queue));

-- The time of the mark when this was applied: nothing from before is in queue_hour.
alter table usage_mark add column hours_from bigint not null default 0;
update usage_mark set hours_from = at;

-- Two histograms as one.
create function histogram_add(a bigint[], b bigint[]) returns bigint[] language sql immutable strict parallel safe
  return array(select coalesce(u.x, 0) + coalesce(u.y, 0) from unnest(a, b) with ordinality u(x, y, i) order by u.i);
