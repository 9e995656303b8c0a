-- What staff decide about replicates in the review, and who did what in it. Clients read neither table.
create table replicate_decisions (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  experiment_id uuid not null references experiments (id) on delete cascade,
  -- the order of the decisions within the experiment
  ordinal integer not null,
  sequence_name text not null,
  plate text not null,
  replicate integer not null,
  well text,
  decision text not null check (decision in ('accept', 'exclude', 'repeat')),
  reason text,
  decided_by text not null,
  -- the newest analysis at that time
  after_version integer not null,
  is_taken_back boolean not null default false,
  created_at timestamptz not null,
  unique (experiment_id, ordinal)
);

create table review_events (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  experiment_id uuid not null references experiments (id) on delete cascade,
  ordinal integer not null,
  action text not null check (action in ('analyzed', 'analysis_asked', 'analysis_failed', 'decided', 'sent_back',
    'run_repeated', 'released_part', 'released', 'amended', 'discarded')),
  -- the version of the results that the event made or concerns; null where it concerns none
  version integer,
  analysis_id uuid,
  reason text,
  -- settings and exclusions of an analysis
  details jsonb,
  actor text not null,
  -- null for the worker
  user_id uuid,
  created_at timestamptz not null,
  unique (experiment_id, ordinal)
);

-- A run that repeats some replicates is analyzed together with the runs before it.
alter table runs add column adds_to_earlier boolean not null default false;
