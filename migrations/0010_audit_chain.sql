-- The audit trail becomes a chain of each organization. A row is written with its change and without a place in the
-- chain, so that no write ever waits for another; a little later it is chained, and from then on it is fixed.

alter table audit_log
  add column sequence bigint generated always as identity,
  -- the token and its ancestors, from the root down
  add column token_path uuid[] not null default '{}',
  -- what the operation answered
  add column status integer not null default 200,
  add column chain_position bigint,
  add column prev_hash text,
  add column hash text,
  add constraint audit_log_chained check (
    (chain_position is null and prev_hash is null and hash is null)
    or (chain_position > 0 and prev_hash is not null and hash is not null));
create unique index audit_log_chain on audit_log (organization_id, chain_position) where chain_position is not null;
create index audit_log_unchained on audit_log (sequence) where chain_position is null;

-- Where each chain ends, so that rows missing from its end are noticed.
create table audit_chains (
  organization_id uuid primary key references organizations (id),
  last_position bigint not null,
  last_hash text not null
);

-- What is chained is neither changed nor removed by any statement of the service, a mistaken one included.
create rule audit_log_fixed as on update to audit_log where old.chain_position is not null do instead nothing;
create rule audit_log_kept as on delete to audit_log do instead nothing;
