-- A void invoice may be issued again: for the same quote, under a number of its own.

alter table invoices drop constraint invoices_quote_id_key;
create index invoices_quote on invoices (quote_id);
-- Of all invoices of a quote at most one asks for money.
create unique index invoices_one_alive on invoices (quote_id) where status <> 'void';
-- The void invoice in whose place this one stands; each is replaced at most once.
alter table invoices add column replaces_id uuid unique references invoices (id);
