-- Background work, repeated requests, the audit trail.

create table jobs (
  id bigint generated always as identity primary key,
  organization_id uuid references organizations (id),
  kind text not null,
  payload jsonb not null,
  -- at most one unfinished job per key
  unique_key text,
  attempts integer not null default 0,
  next_at timestamptz not null,
  lease_until timestamptz,
  last_error text,
  created_at timestamptz not null,
  done_at timestamptz,
  failed_at timestamptz
);
create index jobs_due on jobs (next_at) where done_at is null and failed_at is null;
create unique index jobs_unique on jobs (unique_key) where done_at is null and failed_at is null and unique_key is not null;

create table idempotency_keys (
  organization_id uuid not null references organizations (id),
  key text not null,
  operation_id text not null,
  fingerprint text not null,
  status integer,
  headers jsonb,
  body text,
  created_at timestamptz not null,
  primary key (organization_id, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);

create table audit_log (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  user_id uuid,
  token_id uuid,
  actor text not null,
  operation_id text not null,
  subject text,
  request_id text,
  address text,
  details jsonb,
  created_at timestamptz not null
);
create index audit_log_newest on audit_log (organization_id, created_at desc, id desc);
