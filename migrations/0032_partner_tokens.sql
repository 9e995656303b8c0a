-- Which tokens a partner minted, and which token took the place of one that the partner renewed.

alter table tokens
  add column partner_organization_id uuid references organizations (id),
  add column renews_token_id uuid references tokens (id);

create index tokens_partner on tokens (partner_organization_id, created_at desc, id desc)
  where partner_organization_id is not null;
-- A token is renewed once.
create unique index tokens_renews on tokens (renews_token_id) where renews_token_id is not null;

-- Who minted a token is in the audit trail.
update tokens t set partner_organization_id = a.organization_id
from audit_log a
join partner_organizations p on p.partner_organization_id = a.organization_id
where a.operation_id = 'mint_token' and a.actor_kind = 'user' and a.subject = t.id::text
  and t.kind = 'root' and p.organization_id = t.organization_id;
