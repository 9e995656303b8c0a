-- What a client and the lab write to each other about an experiment or one of its results.
create table messages (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  experiment_id uuid not null references experiments (id) on delete cascade,
  result_id uuid references results (id) on delete set null,
  side text not null check (side in ('client', 'lab')),
  author text not null,
  text text not null,
  -- Addresses of the people who are named in it.
  mentions text[] not null default '{}',
  created_at timestamptz not null
);

create index messages_of_experiment on messages (experiment_id, created_at, id);
create index messages_of_organization on messages (organization_id, created_at);
