-- Endpoints of organizations. Secrets and headers are sealed, because they open other systems.
create table webhooks (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  url text not null,
  sealed_secret text,
  -- signs beside the new one until its time is over
  sealed_previous_secret text,
  previous_secret_until timestamptz,
  header_names text[] not null,
  sealed_headers text not null,
  -- null: status changes of experiments only
  event_types text[],
  is_enabled boolean not null default true,
  disabled_reason text,
  disabled_at timestamptz,
  -- the first failure since the last success
  failing_since timestamptz,
  created_by uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index webhooks_of_organization on webhooks (organization_id, created_at, id);

-- What is to be sent to whom. A delivery is written in the transaction of its event, and keeps its id over attempts.
create table webhook_deliveries (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  -- null: the address of the experiment itself
  webhook_id uuid references webhooks (id) on delete cascade,
  -- No reference: what happened to a deleted draft is delivered as well.
  experiment_id uuid,
  -- The event in the feed: its id there and its place, once it has them.
  update_id uuid,
  update_sequence bigint,
  event_type text not null,
  body text not null,
  -- what shares a receiver: no lane waits for another
  lane text not null,
  position bigint not null generated always as identity,
  status text not null check (status in ('waiting', 'delivered', 'failed')),
  attempts integer not null default 0,
  next_at timestamptz not null,
  lease_until timestamptz,
  -- attempts since the delivery was last asked for, by its event or by a person
  scheduled_attempts integer not null default 0,
  last_outcome text,
  created_at timestamptz not null,
  ended_at timestamptz
);
create index webhook_deliveries_waiting on webhook_deliveries (lane, next_at) where status = 'waiting';
create index webhook_deliveries_due on webhook_deliveries (next_at) where status = 'waiting';
create index webhook_deliveries_order on webhook_deliveries (lane, experiment_id, position) where status = 'waiting';
create index webhook_deliveries_newest on webhook_deliveries (organization_id, created_at desc, id desc);
create index webhook_deliveries_of_webhook on webhook_deliveries (webhook_id, created_at desc, id desc);
create index webhook_deliveries_placeless on webhook_deliveries (update_id) where update_sequence is null;
create index webhook_deliveries_of_experiment on webhook_deliveries (experiment_id);

-- Each attempt is written down before it is made; without an end, its process died.
create table webhook_attempts (
  delivery_id uuid not null references webhook_deliveries (id) on delete cascade,
  organization_id uuid not null references organizations (id),
  number integer not null,
  url text not null,
  began_at timestamptz not null,
  duration_ms integer,
  status_code integer,
  outcome text,
  answer text,
  primary key (delivery_id, number)
);
