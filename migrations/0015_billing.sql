-- Who buys and how they are taxed, quotes that the lab makes by hand, refunds with their attempts, and a ledger that
-- no statement rewrites.

create table billing_profiles (
  organization_id uuid primary key references organizations (id),
  legal_name text,
  address text,
  -- ISO 3166-1 alpha-2
  country text check (country ~ '^[A-Z]{2}$'),
  tax_id text,
  page_size text check (page_size in ('a4', 'letter')),
  updated_at timestamptz not null
);

create table tax_rates (
  country text primary key check (country ~ '^[A-Z]{2}$'),
  name text not null,
  -- reverse_charge: zero for a buyer with a tax id, the rate for every other
  treatment text not null check (treatment in ('taxed', 'reverse_charge', 'none')),
  rate_basis_points integer not null check (rate_basis_points between 0 and 10000),
  note text not null,
  updated_at timestamptz not null,
  check (treatment <> 'none' or rate_basis_points = 0)
);

alter table quotes
  alter column breakdown drop not null,
  add column origin text not null default 'price_list' check (origin in ('price_list', 'custom')),
  -- what staff typed: lines and discounts before the calculation; null for a quote of the price list
  add column composition jsonb,
  add column tax jsonb,
  -- seller and buyer as they were when the quote was opened
  add column parties jsonb,
  add column opened_at timestamptz,
  add check (origin = 'custom' or breakdown is not null);

alter table invoices
  add column tax jsonb,
  add column parties jsonb,
  add column amount_refunded_cents bigint not null default 0,
  add column closed_reason text,
  add check (amount_refunded_cents between 0 and amount_paid_cents);

-- The lab reads the lists of every organization.
create index quotes_all_newest on quotes (created_at desc, id desc);
create index invoices_all_newest on invoices (created_at desc, id desc);

-- One gap-free series per kind of document and year.
alter table invoice_counters add column kind text not null default 'invoice';
alter table invoice_counters drop constraint invoice_counters_pkey, add primary key (kind, year);

create table refunds (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  invoice_id uuid not null references invoices (id),
  credit_note_number text not null unique,
  status text not null check (status in ('pending', 'refunded', 'action_required')),
  -- where the money came from, and so where it goes back; the rail of the ledger
  rail text not null,
  -- the payment that is returned, as its rail names it
  payment_reference jsonb not null,
  amount_cents bigint not null check (amount_cents > 0),
  tax_cents bigint not null check (tax_cents between 0 and amount_cents),
  currency text not null,
  -- false for money that was never owed: paid twice, or after the invoice was void
  is_credit boolean not null,
  reason text not null,
  requested_by text not null,
  reference text,
  problem text,
  created_at timestamptz not null,
  refunded_at timestamptz,
  check (status <> 'refunded' or (reference is not null and refunded_at is not null))
);
create index refunds_all_newest on refunds (created_at desc, id desc);
create index refunds_newest on refunds (organization_id, created_at desc, id desc);
create index refunds_invoice on refunds (invoice_id);
create index refunds_pending on refunds (created_at) where status = 'pending';

-- Written before the rail is asked; a new ordinal only after a definite refusal.
create table refund_attempts (
  refund_id uuid not null references refunds (id),
  ordinal integer not null,
  organization_id uuid not null references organizations (id),
  outcome text check (outcome in ('refunded', 'refused', 'unknown')),
  detail text,
  started_at timestamptz not null,
  finished_at timestamptz,
  primary key (refund_id, ordinal)
);

-- The built-in processor's own book of what it sent back.
create table processor_refunds (
  id text primary key,
  organization_id uuid not null references organizations (id),
  payment_id text not null references processor_payments (id),
  idempotency_key text not null unique,
  amount_cents bigint not null check (amount_cents > 0),
  currency text not null,
  created_at timestamptz not null
);

alter table ledger_transactions drop constraint ledger_transactions_kind_check;
alter table ledger_transactions add constraint ledger_transactions_kind_check check (kind in (
  'invoice_finalized', 'payment_settled', 'payment_surplus', 'invoice_voided', 'invoice_written_off',
  'write_off_reversed', 'credit_issued', 'refund_sent', 'revenue_recognized'));
create index ledger_transactions_invoice on ledger_transactions (invoice_id);
alter table ledger_entries drop constraint ledger_entries_account_check;
alter table ledger_entries add constraint ledger_entries_account_check check (account in (
  'receivable', 'cash', 'deferred_revenue', 'revenue', 'tax', 'refunds', 'bad_debt'));

-- Work that was released before revenue was recognized at the release.
with released as (
  insert into ledger_transactions (id, organization_id, invoice_id, kind, rail, external_reference, currency, posted_at)
  select gen_random_uuid(), i.organization_id, i.id, 'revenue_recognized', 'invoice', 'revenue:' || i.external_id,
    i.currency, e.updated_at
  from invoices i join experiments e on e.id = i.experiment_id
  where e.status = 'done' and i.status in ('open', 'paid') and i.subtotal_cents > 0
  returning id, organization_id, invoice_id)
insert into ledger_entries (transaction_id, ordinal, organization_id, account, debit_cents, credit_cents)
select r.id, n, r.organization_id, case n when 1 then 'deferred_revenue' else 'revenue' end,
  case n when 1 then i.subtotal_cents else 0 end, case n when 1 then 0 else i.subtotal_cents end
from released r join invoices i on i.id = r.invoice_id cross join generate_series(1, 2) n;

-- What is posted is neither changed nor removed by any statement of the service, a mistaken one included.
create rule ledger_transactions_fixed as on update to ledger_transactions do instead nothing;
create rule ledger_transactions_kept as on delete to ledger_transactions do instead nothing;
create rule ledger_entries_fixed as on update to ledger_entries do instead nothing;
create rule ledger_entries_kept as on delete to ledger_entries do instead nothing;
