-- Raw files of a run that serves several experiments. They hold wells of several organizations, so they belong to the
-- lab; each experiment gets a file cut from them among its own raw files.
create table lab_run_files (
  id uuid primary key,
  lab_run_id uuid not null references lab_runs (id),
  name text not null,
  sha256 text not null,
  size_bytes bigint not null,
  understood jsonb not null,
  version integer not null default 1 check (version > 0),
  uploaded_by text not null,
  created_at timestamptz not null,
  unique (lab_run_id, name)
);
create index lab_run_files_digest on lab_run_files (sha256);

create table lab_run_file_versions (
  file_id uuid not null references lab_run_files (id),
  version integer not null check (version > 0),
  sha256 text not null,
  size_bytes bigint not null,
  uploaded_by text not null,
  created_at timestamptz not null,
  primary key (file_id, version)
);

-- What staff say by hand of the wells and samples of such files. The latest version counts.
create table lab_run_mappings (
  lab_run_id uuid not null references lab_runs (id),
  version integer not null check (version > 0),
  entries jsonb not null,
  reason text,
  created_by text not null,
  created_at timestamptz not null,
  primary key (lab_run_id, version)
);

-- Of a file that was cut from shared ones (is_shared): the digests of those, and what the cut depends on.
alter table raw_files add column cut_from jsonb;
