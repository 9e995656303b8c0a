-- The lab's side: runs, raw instrument files, results and their curves.

create table runs (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  experiment_id uuid not null references experiments (id),
  ordinal integer not null,
  instrument text not null,
  status text not null check (status in ('running', 'complete', 'analysed')),
  started_at timestamptz not null,
  completed_at timestamptz,
  unique (experiment_id, ordinal)
);

create table raw_files (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  experiment_id uuid not null references experiments (id),
  run_id uuid not null references runs (id),
  name text not null,
  sha256 text not null,
  size_bytes bigint not null,
  created_at timestamptz not null,
  unique (run_id, name)
);
create index raw_files_experiment on raw_files (experiment_id);

create table results (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  experiment_id uuid not null references experiments (id),
  experiment_code text not null,
  experiment_type text not null,
  sequence_id uuid not null,
  title text not null,
  version integer not null,
  status text not null check (status in ('preliminary', 'final', 'amended', 'withdrawn')),
  outcome text not null check (outcome in ('measured', 'non_binder', 'not_expressed', 'failed_qc', 'not_tested')),
  target_id uuid,
  binding_score float8,
  -- the wire's summary rows and the additive record, as the analysis wrote them
  summary jsonb not null,
  metadata jsonb not null,
  record jsonb not null,
  released_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (experiment_id, sequence_id, version)
);
create index results_newest on results (organization_id, created_at desc, id desc);
create index results_score on results (organization_id, binding_score desc nulls last, id desc);

create table result_curves (
  result_id uuid primary key references results (id),
  organization_id uuid not null references organizations (id),
  -- gzip of the curves as JSON
  curves bytea not null
);
