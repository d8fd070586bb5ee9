-- 0014_usage.sql - what an attempt used, as shared/base/usage.h writes it; null: nothing is known.
alter table attempt_end add column usage bytea;
alter table element_end add column usage bytea;

-- The number of 'bytes' bytes that begins at 'at', counted from 1: of usage, CPU in microseconds is (6, 8), the peak of
-- memory (14, 8), bytes read (22, 8), bytes written (30, 8).
create function usage_number(usage bytea, at int, bytes int) returns bigint language sql immutable strict parallel safe
  return ('x' || lpad(encode(substr(usage, at, bytes), 'hex'), 16, '0'))::bit(64)::bigint;
