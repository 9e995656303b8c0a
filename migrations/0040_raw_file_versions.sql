-- A raw file of the same name is a new version; earlier ones stay listed. The bytes of every version are kept.
alter table raw_files
  add column version integer not null default 1 check (version > 0),
  add column uploaded_by text;

create table raw_file_versions (
  file_id uuid not null references raw_files (id),
  version integer not null check (version > 0),
  organization_id uuid not null references organizations (id),
  sha256 text not null,
  size_bytes bigint not null,
  uploaded_by text,
  created_at timestamptz not null,
  primary key (file_id, version)
);
create index raw_file_versions_of_organization on raw_file_versions (organization_id);

-- What staff say by hand of the wells and samples of a run's files. The latest version counts.
create table raw_file_mappings (
  run_id uuid not null references runs (id),
  version integer not null check (version > 0),
  organization_id uuid not null references organizations (id),
  entries jsonb not null,
  reason text,
  created_by text not null,
  created_at timestamptz not null,
  primary key (run_id, version)
);
create index raw_file_mappings_of_organization on raw_file_mappings (organization_id);

-- What a control showed on a plate, for the control charts of the lab. Clients never see it.
create table control_values (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  experiment_id uuid not null references experiments (id),
  run_id uuid not null references runs (id),
  -- of the results that were computed with it; only the latest of a run counts
  version integer not null,
  control text not null,
  role text not null check (role in ('positive_control', 'negative_control')),
  quantity text not null check (quantity in ('kd', 'tm', 'signal')),
  -- the decimal logarithm of a KD in M, a Tm in °C, or a signal in the unit beside it
  value double precision not null check (value > '-infinity' and value < 'infinity'),
  unit text not null,
  experiment_type text not null,
  -- of the material that the control is measured against; empty where there is none
  target_name text not null,
  lot text,
  instrument text,
  plate text not null,
  n_replicates integer not null check (n_replicates > 0),
  measured_at timestamptz not null,
  created_at timestamptz not null
);
create index control_values_of_run on control_values (run_id, version);
create index control_values_of_control on control_values (control, quantity, measured_at);
