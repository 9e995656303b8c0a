-- Links by which anybody reads a result or the results of an experiment, until they end.
create table shares (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  experiment_id uuid not null references experiments (id) on delete cascade,
  -- the one sequence whose result is shared; null: all of the experiment
  sequence_id uuid references sequences (id) on delete cascade,
  -- SHA-256 of the secret part of the link
  digest bytea not null unique,
  -- what its readers see as the title and as the sender
  title text,
  shared_by text,
  shows_sequences boolean not null,
  allows_csv boolean not null,
  user_id uuid not null references users (id),
  -- the token that made it, with which it ends; null: a person in a browser
  token_id uuid,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  -- when it was last opened, exact to the minute
  opened_at timestamptz
);
create index shares_organization on shares (organization_id, created_at desc, id desc);
create index shares_experiment on shares (experiment_id);
