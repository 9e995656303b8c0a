-- Quotes, invoices, the built-in processor's payments, and the ledger.

create table quotes (
  id text primary key,
  organization_id uuid not null references organizations (id),
  experiment_id uuid not null references experiments (id) on delete cascade,
  quote_number text not null unique,
  status text not null check (status in ('draft', 'open', 'accepted', 'canceled', 'stale')),
  pricing_version text not null,
  currency text not null,
  line_items jsonb not null,
  breakdown jsonb not null,
  subtotal_cents bigint not null,
  tax_cents bigint not null,
  total_cents bigint not null,
  notes text not null,
  terms_and_conditions text not null,
  valid_until timestamptz not null,
  rejection jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (total_cents = subtotal_cents + tax_cents and subtotal_cents >= 0 and tax_cents >= 0)
);
create index quotes_newest on quotes (organization_id, created_at desc, id desc);
create index quotes_experiment on quotes (experiment_id, created_at desc);
create index quotes_open_until on quotes (valid_until) where status = 'open';
-- An experiment has at most one quote that is still alive.
create unique index quotes_one_alive on quotes (experiment_id) where status in ('draft', 'open', 'accepted');

-- Quote numbers may have gaps; invoice numbers may not.
create sequence quote_numbers;

create table invoices (
  id uuid primary key,
  external_id text not null unique,
  organization_id uuid not null references organizations (id),
  experiment_id uuid not null references experiments (id),
  quote_id text not null unique references quotes (id),
  -- given when the invoice is finalized; without gaps within a year
  invoice_number text unique,
  status text not null check (status in ('draft', 'open', 'paid', 'void', 'uncollectible')),
  payment_method text not null check (payment_method in ('async_invoice', 'x402-exact', 'mpp-spt')),
  currency text not null,
  line_items jsonb not null,
  subtotal_cents bigint not null,
  tax_cents bigint not null,
  total_cents bigint not null,
  amount_paid_cents bigint not null default 0,
  purchase_order_number text,
  hosted_key text unique,
  settlement_reference jsonb,
  due_date timestamptz,
  finalized_at timestamptz,
  paid_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (total_cents = subtotal_cents + tax_cents),
  check (status <> 'paid' or (paid_at is not null and amount_paid_cents = total_cents))
);
create index invoices_newest on invoices (organization_id, created_at desc, id desc);
create index invoices_experiment on invoices (experiment_id);

create table invoice_counters (
  year integer primary key,
  last_number integer not null
);

-- The built-in processor's own book: what it collected, and which notification told the service so.
create table processor_payments (
  id text primary key,
  organization_id uuid not null references organizations (id),
  invoice_id uuid not null unique references invoices (id),
  kind text not null check (kind in ('test', 'bank_transfer')),
  amount_cents bigint not null,
  currency text not null,
  recorded_by text not null,
  created_at timestamptz not null,
  notified_at timestamptz
);

create table processor_notifications (
  id text primary key,
  organization_id uuid not null references organizations (id),
  type text not null,
  payload jsonb not null,
  received_at timestamptz not null
);

create table ledger_transactions (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  invoice_id uuid not null references invoices (id),
  kind text not null check (kind in ('invoice_finalized', 'payment_settled')),
  rail text not null,
  external_reference text not null,
  currency text not null,
  posted_at timestamptz not null,
  -- one posting for one thing that happened outside
  unique (rail, external_reference)
);

create table ledger_entries (
  transaction_id uuid not null references ledger_transactions (id),
  ordinal integer not null,
  organization_id uuid not null references organizations (id),
  account text not null check (account in ('receivable', 'cash', 'deferred_revenue', 'revenue', 'tax', 'refunds')),
  debit_cents bigint not null check (debit_cents >= 0),
  credit_cents bigint not null check (credit_cents >= 0),
  check ((debit_cents = 0) <> (credit_cents = 0)),
  primary key (transaction_id, ordinal)
);
create index ledger_entries_account on ledger_entries (organization_id, account);
