-- Data packages: one for each version of what they contain, from the first wish for it to its end. The archives lie beside
-- the raw files, by their digest, and can be made again.
create table data_packages (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  experiment_id uuid not null references experiments (id) on delete cascade,
  -- whose view of the results: what clients may read, or what the lab reviews
  audience text not null check (audience in ('client', 'lab')),
  -- SHA-256 of everything that decides the bytes
  version_key text not null,
  results_total integer not null,
  results_done integer not null default 0,
  sha256 text,
  size_bytes bigint,
  created_at timestamptz not null,
  asked_at timestamptz not null,
  made_at timestamptz,
  failed_at timestamptz,
  -- since when another version is the current one
  superseded_at timestamptz,
  check ((made_at is null) = (sha256 is null) and (sha256 is null) = (size_bytes is null))
);
create unique index data_packages_version on data_packages (experiment_id, audience, version_key);
create index data_packages_superseded on data_packages (superseded_at) where superseded_at is not null;
create index data_packages_asked on data_packages (asked_at);
