-- The built-in processor keeps a book of invoices of its own, as any other processor does.

create table builtin_invoices (
  id text primary key,
  organization_id uuid not null references organizations (id),
  invoice_id uuid not null unique references invoices (id),
  status text not null check (status in ('open', 'paid', 'void')),
  amount_cents bigint not null check (amount_cents > 0),
  currency text not null,
  created_at timestamptz not null
);

-- Invoices that no outside processor has are the built-in one's: they were opened there, and stay there.
insert into builtin_invoices (id, organization_id, invoice_id, status, amount_cents, currency, created_at)
select 'bi_' || replace(i.id::text, '-', ''), i.organization_id, i.id,
  case when p.id is not null then 'paid' when i.status = 'open' then 'open' else 'void' end,
  i.total_cents, i.currency, i.finalized_at
from invoices i
  left join processor_invoices o on o.invoice_id = i.id
  left join processor_payments p on p.invoice_id = i.id
where i.payment_method = 'async_invoice' and i.finalized_at is not null and i.total_cents > 0
  and o.invoice_id is null;

-- A payment that was collected and not yet taken in is found at the next look.
insert into processor_invoices (invoice_id, organization_id, processor, provider_id, status, next_at, created_at,
  updated_at)
select b.invoice_id, b.organization_id, 'builtin', b.id,
  case when i.status = 'open' or (b.status = 'paid' and p.notified_at is null) then 'open' else b.status end,
  case when i.status = 'open' or (b.status = 'paid' and p.notified_at is null) then now() end,
  b.created_at, b.created_at
from builtin_invoices b
  join invoices i on i.id = b.invoice_id
  left join processor_payments p on p.invoice_id = b.invoice_id;
