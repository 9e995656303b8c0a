-- What the lab offers: targets, assay types, price lists.

create table targets (
  id uuid primary key,
  name text not null,
  vendor_name text not null,
  catalog_number text not null unique,
  uniprot_id text,
  gene_names text[] not null default '{}',
  organism text,
  family text,
  conjugated boolean not null default false,
  details jsonb not null,
  -- null: no calibrated price, the lab quotes it by hand
  pricing jsonb,
  -- text that the search looks through: name, vendor, synonyms, genes, accession
  search_text text not null,
  listed boolean not null default true,
  created_at timestamptz not null
);
create index targets_name on targets (name, id);
create index targets_created on targets (created_at desc, id desc);

create table target_requests (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  experiment_id uuid,
  name text not null,
  product_id text not null,
  request jsonb not null,
  status text not null check (status in ('pending_review', 'approved', 'rejected')),
  material_id uuid references targets (id),
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index target_requests_organization on target_requests (organization_id, created_at desc, id desc);

create table assay_types (
  experiment_type text primary key,
  offered boolean not null
);

-- A quote keeps the version that made it for ever, so versions are never edited.
create table price_lists (
  version text primary key,
  effective_from timestamptz not null,
  -- {"affinity": {"unit_price_cents": 19900, "replicate_price_cents": 3900}, ...}
  prices jsonb not null,
  created_at timestamptz not null
);
create index price_lists_effective on price_lists (effective_from desc);
