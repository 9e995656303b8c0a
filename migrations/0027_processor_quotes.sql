-- Quotes that an outside processor holds beside ours.

create table processor_quotes (
  -- of quotes; the row outlives a quote that goes with its draft, because the processor's has to go as well
  quote_id text primary key,
  organization_id uuid not null references organizations (id),
  processor text not null,
  -- null until the processor is known to have it
  provider_id text unique,
  -- refused: the processor takes no such quote; ours stands alone
  status text not null check (status in ('wanted', 'open', 'accepted', 'canceled', 'refused')),
  -- what the processor made when it was accepted there
  provider_invoice_id text,
  attempts integer not null default 0,
  -- of the first attempt
  attempted_at timestamptz,
  -- when something is to be done about it; null while nothing is
  next_at timestamptz,
  last_error text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index processor_quotes_due on processor_quotes (next_at) where next_at is not null;
