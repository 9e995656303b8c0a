-- What a person lets a program do is a token of its own: it has limits, an end and a sum that was spent, and it is
-- listed and revoked like every token. The references of the sign-in library name it.

alter table tokens
  add column client_id text references oauth_clients (client_id),
  add column last_used_at timestamptz;
create index tokens_programs on tokens (user_id, created_at desc) where client_id is not null;

-- What each token has committed to, by quote. A quote counts once for a token, whether it was accepted or paid with it.
create table token_spending (
  token_id uuid not null references tokens (id),
  quote_id text not null references quotes (id) on delete cascade,
  organization_id uuid not null references organizations (id),
  amount_cents bigint not null check (amount_cents >= 0),
  created_at timestamptz not null,
  primary key (token_id, quote_id)
);
create index token_spending_quote on token_spending (quote_id);

-- Who accepted a quote is in the audit trail. A quote that was accepted by itself counts before its experiment's creation.
insert into token_spending (token_id, quote_id, organization_id, amount_cents, created_at)
select t.id, q.id, q.organization_id, q.total_cents, accepted.created_at
from quotes q
cross join lateral (
  select a.token_id, a.token_path, a.created_at from audit_log a
  where a.organization_id = q.organization_id and a.actor_kind = 'user' and a.token_id is not null
    and a.status between 200 and 299
    and (a.operation_id in ('confirm_quote', 'create_exp') and a.subject = q.id
      or a.operation_id in ('confirm_experiment_quote', 'create_exp') and exists (
        select 1 from experiments e
        where e.id = q.experiment_id and (a.subject = e.id::text or a.subject = e.code)))
  order by (a.operation_id = 'create_exp'), a.created_at desc limit 1) accepted
join tokens t on t.id = any(accepted.token_path || accepted.token_id) and t.organization_id = q.organization_id
where q.status = 'accepted'
on conflict do nothing;

-- The programs that were let in until now acted through the token of the session. Each gets a token of its own with the
-- same rights.
create temporary table let_in on commit drop as
  select gen_random_uuid() as id, r.client_id, r.session_id, r.user_id, r.reference_id,
    bool_or('write' = any(r.scopes)) as may_write, min(r.created_at) as created_at
  from oauth_refresh_tokens r
  join sessions s on s.id = r.session_id and s.user_id = r.user_id
  join memberships m on m.organization_id::text = r.reference_id and m.user_id = r.user_id
  where r.revoked is null
  group by r.client_id, r.session_id, r.user_id, r.reference_id;

insert into tokens (id, organization_id, user_id, name, kind, role, root_token_id, path, attenuation_spec, created_at,
  expires_at, session_id, client_id)
select l.id, m.organization_id, l.user_id, coalesce(c.name, 'A program'), 'attenuated', m.role, l.id, array[l.id],
  case when l.may_write
    then jsonb_build_object('allowed_org_ids', jsonb_build_array(l.reference_id), 'allowed_actions',
      '["list", "read", "create", "update", "delete", "issue", "mint_token", "pay"]'::jsonb)
    else jsonb_build_object('allowed_org_ids', jsonb_build_array(l.reference_id), 'read_only', true) end,
  l.created_at, s.expires_at, l.session_id, l.client_id
from let_in l
join sessions s on s.id = l.session_id
join memberships m on m.organization_id::text = l.reference_id and m.user_id = l.user_id
join oauth_clients c on c.client_id = l.client_id;

insert into oauth_consents (id, client_id, user_id, reference_id, resources, requested_user_info_claims, scopes,
  created_at, updated_at)
select gen_random_uuid(), k.client_id, k.user_id, l.id::text, k.resources, k.requested_user_info_claims, k.scopes,
  k.created_at, k.updated_at
from oauth_consents k
join let_in l on l.client_id = k.client_id and l.user_id = k.user_id and l.reference_id = k.reference_id;
delete from oauth_consents k where not exists (select 1 from let_in l where l.id::text = k.reference_id);

update oauth_refresh_tokens r set reference_id = l.id::text from let_in l
where l.client_id = r.client_id and l.session_id = r.session_id and l.user_id = r.user_id
  and l.reference_id = r.reference_id;

-- The page to go to after a mailed link has signed its person in.
alter table person_links add column next text;
