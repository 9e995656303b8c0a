-- Price lists: drafts, and published versions with a moment of effect that never change. Assay types: what the lab
-- offers. A directory that has a price list already sells what that list names, at its prices.
alter table price_lists
  add column id uuid not null default gen_random_uuid(),
  add column status text not null default 'published' check (status in ('draft', 'published')),
  add column note text not null default '',
  -- [{"target_id": …, "pricing": {…}}]; targets take these prices when the list takes effect
  add column materials jsonb not null default '[]',
  -- [{"experiment_type": null, "sequences_min": 96, "basis_points": 1000}]
  add column volume_discounts jsonb not null default '[]',
  add column updated_at timestamptz,
  add column published_at timestamptz,
  -- when the targets took their prices
  add column applied_at timestamptz;

-- [{"experiment_type": "affinity", "method": null, "unit_price_cents": 19900, "replicate_price_cents": 4900}]
update price_lists set updated_at = created_at, published_at = created_at, applied_at = created_at,
  prices = (
    select coalesce(jsonb_agg(jsonb_build_object('experiment_type', type, 'method', null,
      'unit_price_cents', price -> 'unit_price_cents', 'replicate_price_cents', price -> 'replicate_price_cents')
      order by type), '[]')
    from jsonb_each(prices) as old (type, price));

alter table price_lists
  drop constraint price_lists_pkey,
  add primary key (id),
  add constraint price_lists_version_key unique (version),
  alter column version drop not null,
  alter column id drop default,
  alter column status drop default,
  alter column updated_at set not null,
  add constraint price_lists_published check (
    (status = 'published') = (version is not null) and (status = 'published') = (published_at is not null));
drop index price_lists_effective;
create index price_lists_effective on price_lists (effective_from desc) where status = 'published';

alter table assay_types
  add column methods text[] not null default '{}' check (methods <@ array['bli', 'spr']),
  add column replicates_min integer not null default 1 check (replicates_min >= 1),
  add column replicates_max integer not null default 5,
  add column turnaround_workdays integer check (turnaround_workdays > 0),
  add column updated_at timestamptz,
  add constraint assay_types_replicates check (replicates_max >= replicates_min);
insert into assay_types (experiment_type, offered, methods, updated_at)
  select type, true, case when type in ('affinity', 'screening') then array['bli', 'spr'] else '{}'::text[] end,
    min(created_at)
  from price_lists cross join lateral (select jsonb_array_elements(prices) ->> 'experiment_type' as type) entry
  group by type
  on conflict (experiment_type) do update set methods = excluded.methods, updated_at = excluded.updated_at;
update assay_types set updated_at = now() where updated_at is null;
alter table assay_types alter column updated_at set not null;
