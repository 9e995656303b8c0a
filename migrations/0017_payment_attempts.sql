-- Payments by machine: what the service asks for, and every attempt to take it.

-- The terms of payment of one invoice on one rail, encoded once and answered as they stand.
create table payment_challenges (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  invoice_id uuid not null references invoices (id),
  rail text not null check (rail in ('x402-exact', 'mpp-spt')),
  -- header names and values, byte for byte
  headers jsonb not null,
  -- what the rail compares a credential with
  terms jsonb not null,
  created_at timestamptz not null,
  -- null: until the invoice is paid or void
  expires_at timestamptz
);
create index payment_challenges_newest on payment_challenges (invoice_id, rail, created_at desc, id desc);

-- Written down before anything outside is asked to move money.
create table payment_attempts (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  invoice_id uuid not null references invoices (id),
  rail text not null check (rail in ('x402-exact', 'mpp-spt')),
  -- 1, 2, 3 … within the invoice
  n integer not null check (n > 0),
  -- what the credential is outside: of x402 (network, asset, payer, nonce)
  external_key text not null,
  state text not null check (state in ('prepared', 'settling', 'paid', 'returned', 'refused')),
  request jsonb not null,
  -- of paid and returned: {reference, headers}
  outcome jsonb,
  -- of refused: {code, reason}
  refusal jsonb,
  handed_over_at timestamptz,
  -- whoever works on it has it alone until then
  lease_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (rail, external_key),
  unique (invoice_id, n),
  check ((state in ('paid', 'returned')) = (outcome is not null)),
  check (state <> 'settling' or handed_over_at is not null)
);
-- An invoice has at most one attempt that may still move money.
create unique index payment_attempts_one_live on payment_attempts (invoice_id) where state in ('prepared', 'settling');
create index payment_attempts_live on payment_attempts (updated_at) where state in ('prepared', 'settling');
