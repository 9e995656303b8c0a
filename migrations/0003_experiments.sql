-- Experiments, their sequences, and the feed of everything that happens to them.

create table experiment_counters (
  organization_id uuid not null references organizations (id),
  series integer not null,
  last_number integer not null,
  primary key (organization_id, series)
);

create table experiments (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  code text not null unique,
  name text not null,
  description text,
  status text not null check (status in (
    'draft', 'waiting_for_confirmation', 'quote_sent', 'waiting_for_materials', 'in_queue',
    'in_production', 'data_analysis', 'in_review', 'done', 'canceled')),
  results_status text not null default 'none' check (results_status in ('none', 'partial', 'all')),
  experiment_type text not null,
  method text check (method in ('bli', 'spr')),
  target_id uuid references targets (id),
  requested_target jsonb,
  n_replicates integer not null check (n_replicates between 1 and 5),
  antigen_concentrations_nm float8[],
  parameters jsonb,
  sequence_count integer not null check (sequence_count >= 0),
  payment_method text not null check (payment_method in ('async_invoice', 'x402-exact', 'mpp-spt')),
  webhook_url text,
  webhook_secret text,
  created_by_user_id uuid references users (id),
  created_by_token_id uuid references tokens (id),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  submitted_at timestamptz,
  finished_at timestamptz
);
create index experiments_newest on experiments (organization_id, created_at desc, id desc);
create index experiments_status on experiments (organization_id, status, created_at desc, id desc);
create index experiments_type on experiments (organization_id, experiment_type, created_at desc, id desc);
create index experiments_name on experiments (organization_id, name, id);

create table sequences (
  experiment_id uuid not null references experiments (id) on delete cascade,
  ordinal integer not null,
  id uuid not null,
  organization_id uuid not null references organizations (id),
  name text not null,
  aa_string text not null,
  length integer not null,
  is_control boolean not null,
  metadata jsonb,
  created_at timestamptz not null,
  primary key (experiment_id, ordinal)
);
create unique index sequences_id on sequences (id);
create index sequences_newest on sequences (organization_id, created_at desc, id desc);

create table updates (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  experiment_id uuid not null references experiments (id) on delete cascade,
  experiment_code text not null,
  type text not null check (type in ('status_change', 'progress', 'error', 'quote', 'invoice', 'results')),
  name text not null,
  description text,
  previous_status text,
  status text,
  created_at timestamptz not null
);
create index updates_newest on updates (organization_id, created_at desc, id desc);
create index updates_experiment on updates (experiment_id, created_at, id);
