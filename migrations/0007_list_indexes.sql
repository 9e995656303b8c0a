-- Orders and conditions of the lists. Text is ordered by code point (collate "C"), whatever the database's own collation
-- is, so an index on the plain column cannot serve such an order. Everything else that can be sorted by is sorted among
-- the organization's own rows, which the leading organization_id finds.

drop index experiments_name;
create index experiments_name on experiments (organization_id, name collate "C", id);
create index experiments_code on experiments (organization_id, code collate "C", id);
create index experiments_updated on experiments (organization_id, updated_at, id);

drop index targets_name;
create index targets_name on targets (name collate "C", id);

create index sequences_name on sequences (organization_id, name collate "C", id);
create index sequences_length on sequences (organization_id, length, id);

create index updates_type on updates (organization_id, type, created_at desc, id desc);

drop index quotes_newest;
create index quotes_newest on quotes (organization_id, created_at desc, id collate "C" desc);
create index quotes_amount on quotes (organization_id, total_cents, id collate "C");
create index quotes_valid_until on quotes (organization_id, valid_until, id collate "C");

create index invoices_amount on invoices (organization_id, total_cents, id);
create index invoices_due on invoices (organization_id, due_date, id);
