-- Which formula made the hash of an entry. 1 covers the number of the entry among those of all organizations, which a
-- client must not see; 2 covers only what a client reads, so that a client can compute it.
alter table audit_log
  add column hash_version smallint not null default 1 check (hash_version in (1, 2));
