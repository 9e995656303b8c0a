-- Changes that no request of a person makes are in the trail too: those of the worker, of the operator at the command
-- line, of the payment processor. What the operator changes for all organizations at once, such as the signing keys,
-- stands in a chain of its own under the nil UUID, which is no organization.

alter table audit_log
  add column actor_kind text not null default 'user'
    check (actor_kind in ('user', 'worker', 'operator', 'processor')),
  drop constraint audit_log_organization_id_fkey;
alter table audit_chains drop constraint audit_chains_organization_id_fkey;
-- The lab reads the trails of all organizations together.
create index audit_log_all_newest on audit_log (created_at desc, id desc);
