-- 0008_pepper.sql - the SHA-256 of the pepper under which this database's tokens are stored: with another one all of them would be
-- refused without a word, so the control plane does not start (controlplane/store/pepper_check.h).  At most one row.
create table pepper (
  only_one boolean primary key default true check (only_one),
  sha256 bytea not null
);
