-- Organizations, people, memberships, capability tokens, signing keys.

create table organizations (
  id uuid primary key,
  name text not null,
  slug text not null unique check (slug ~ '^[A-Z0-9]{2,8}$'),
  country text,
  created_at timestamptz not null
);

create table users (
  id uuid primary key,
  email text not null,
  name text,
  is_staff boolean not null default false,
  created_at timestamptz not null
);
create unique index users_email on users (lower(email));

create table memberships (
  organization_id uuid not null references organizations (id),
  user_id uuid not null references users (id),
  role text not null check (role in ('viewer', 'member', 'billing', 'admin')),
  created_at timestamptz not null,
  primary key (organization_id, user_id)
);
create index memberships_user on memberships (user_id);

-- The public half verifies, the private half signs; a retired key still verifies until the last token it signed expires.
create table signing_keys (
  kid text primary key,
  public_jwk jsonb not null,
  private_jwk jsonb not null,
  created_at timestamptz not null,
  retired_at timestamptz
);

create table tokens (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  user_id uuid not null references users (id),
  name text not null,
  kind text not null check (kind in ('root', 'attenuated')),
  token_type text check (token_type in ('admin', 'user', 'admin_impersonating', 'multi_org')),
  role text not null check (role in ('viewer', 'member', 'billing', 'admin')),
  parent_token_id uuid references tokens (id),
  root_token_id uuid not null references tokens (id),
  -- Every ancestor from the root to the token itself; a revoked one kills all below it.
  path uuid[] not null,
  attenuation_spec jsonb,
  payment_policy jsonb,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz
);
create index tokens_organization on tokens (organization_id, created_at desc, id desc);
create index tokens_user on tokens (user_id, created_at desc, id desc);
create index tokens_root on tokens (root_token_id);

-- One-time links into the browser pages and the sessions they open; only digests are kept.
create table sign_in_links (
  digest bytea primary key,
  organization_id uuid not null references organizations (id),
  user_id uuid not null references users (id),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);

create table sessions (
  digest bytea primary key,
  organization_id uuid not null references organizations (id),
  user_id uuid not null references users (id),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index sessions_user on sessions (user_id);
