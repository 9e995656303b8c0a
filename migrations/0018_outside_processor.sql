-- Invoices that an outside payment processor collects, and the customers their organizations are there.

create table processor_customers (
  organization_id uuid not null references organizations (id),
  processor text not null,
  customer_id text not null,
  created_at timestamptz not null,
  primary key (organization_id, processor)
);

create table processor_invoices (
  invoice_id uuid primary key references invoices (id),
  organization_id uuid not null references organizations (id),
  processor text not null,
  -- null until the processor is known to have it
  provider_id text unique,
  status text not null check (status in ('wanted', 'open', 'paid', 'void', 'uncollectible')),
  hosted_url text,
  attempts integer not null default 0,
  -- of the first attempt
  attempted_at timestamptz,
  -- when it is looked at again; null when nothing can change any more
  next_at timestamptz,
  last_error text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (status = 'wanted' or status = 'void' or provider_id is not null)
);
create index processor_invoices_due on processor_invoices (next_at) where next_at is not null;

-- The book of the sandbox's own processor for shared payment tokens.
create table test_payment_tokens (
  token text primary key,
  organization_id uuid not null references organizations (id),
  max_amount_cents bigint not null check (max_amount_cents > 0),
  currency text not null,
  behaviour text not null check (behaviour in ('pays', 'declines')),
  expires_at timestamptz not null,
  deactivated_at timestamptz,
  created_at timestamptz not null
);

create table test_charges (
  id text primary key,
  organization_id uuid not null references organizations (id),
  invoice_id uuid not null references invoices (id),
  token text not null,
  idempotency_key text not null unique,
  amount_cents bigint not null check (amount_cents > 0),
  currency text not null,
  status text not null check (status in ('charged', 'declined')),
  reason text,
  created_at timestamptz not null,
  check ((status = 'declined') = (reason is not null))
);

create table test_refunds (
  id text primary key,
  organization_id uuid not null references organizations (id),
  charge_id text not null references test_charges (id),
  idempotency_key text not null unique,
  amount_cents bigint not null check (amount_cents > 0),
  created_at timestamptz not null
);
create index test_refunds_charge on test_refunds (charge_id);
