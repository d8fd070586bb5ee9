-- 0020_token_rotate.sql - a token gets a new secret; the one before it counts until old_until, in ms; 0: it has none.  rotated_at: 0,
-- it has its first secret.
alter table token
    add column old_mac bytea not null default decode(repeat('00', 32), 'hex'),
    add column old_until bigint not null default 0,
    add column rotated_at bigint not null default 0;
