-- Runs as the lab plans them. One may serve experiments of several organizations, so it belongs to none of them; which
-- experiments it serves, and the files that it brings them, belong to theirs.
create table lab_runs (
  id uuid primary key,
  number integer not null unique generated always as identity,
  status text not null check (status in ('planned', 'running', 'canceled')),
  experiment_type text not null,
  method text,
  instrument text,
  operator text,
  -- as the planner answered them; the plan has its seed
  request jsonb not null,
  plan jsonb not null,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  started_at timestamptz,
  started_by text,
  canceled_at timestamptz,
  cancel_reason text
);
create index lab_runs_newest on lab_runs (created_at desc, id desc);

create table lab_run_experiments (
  lab_run_id uuid not null references lab_runs (id),
  organization_id uuid not null references organizations (id),
  experiment_id uuid not null references experiments (id) on delete cascade,
  position integer not null,
  primary key (lab_run_id, experiment_id)
);
create index lab_run_experiments_of on lab_run_experiments (experiment_id);

-- The planned run by which the run of an experiment started, and who operates it.
alter table runs add column lab_run_id uuid references lab_runs (id);
alter table runs add column operator text;
create index runs_lab_run on runs (lab_run_id) where lab_run_id is not null;
-- A file of a planned run holds the wells of all its experiments.
alter table raw_files add column is_shared boolean not null default false;

-- A run may start before the payment: who allowed it, and why.
create table unpaid_releases (
  organization_id uuid not null references organizations (id),
  experiment_id uuid primary key references experiments (id) on delete cascade,
  reason text not null,
  released_by text not null,
  created_at timestamptz not null
);
