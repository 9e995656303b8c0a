-- A token that a token made with POST /tokens belongs to its lineage and ends with it: above the path of derivation stand
-- the tokens that made its root, from the top down. Lineage is both, one after the other.

alter table tokens add column makers uuid[] not null default '{}';

-- Who made a root token with a token is in the audit trail.
create temporary table made on commit drop as
  select distinct on (t.id) t.id, m.id as maker_id, m.root_token_id as maker_root_id, m.path as maker_path,
    exists (select 1 from tokens a where a.id = any(m.path) and a.revoked_at is not null) as is_maker_revoked
  from audit_log a
  join tokens m on m.id = a.token_id and m.session_id is null
  join tokens t on t.id::text = a.subject and t.kind = 'root' and t.organization_id = m.organization_id
    and t.user_id = m.user_id and t.id <> m.id
  where a.operation_id = 'create_token' and a.actor_kind = 'user'
  order by t.id, a.created_at;

update tokens set parent_token_id = made.maker_id from made where made.id = tokens.id;

-- One whose maker is revoked has outlived it and goes on by itself, so that nothing that works stops working here.
with recursive line as (
  select t.id, t.makers from tokens t
  where t.kind = 'root' and not exists (select 1 from made where made.id = t.id and not made.is_maker_revoked)
  union all
  select made.id, line.makers || made.maker_path from made join line on line.id = made.maker_root_id
  where not made.is_maker_revoked)
update tokens set makers = line.makers from line
where line.id = tokens.root_token_id and line.makers <> '{}';

create index tokens_family on tokens (((makers || path)[1]));
