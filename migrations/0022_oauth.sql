-- Programs that people let act for them at the tool protocol, by OAuth 2.1. The columns are those of the sign-in
-- library's provider; what we do not use stays empty. Whatever belongs to a session ends with it.

create table oauth_clients (
  id uuid primary key,
  client_id text not null unique,
  client_secret text,
  client_discovery_id text,
  disabled boolean default false,
  skip_consent boolean,
  enable_end_session boolean,
  subject_type text,
  scopes text[],
  client_credentials_scopes text[],
  user_id uuid references users (id) on delete cascade,
  created_at timestamptz,
  updated_at timestamptz,
  name text,
  uri text,
  icon text,
  contacts text[],
  tos text,
  policy text,
  software_id text,
  software_version text,
  software_statement text,
  redirect_uris text[] not null,
  post_logout_redirect_uris text[],
  backchannel_logout_uri text,
  backchannel_logout_session_required boolean,
  token_endpoint_auth_method text,
  application_type text,
  jwks text,
  jwks_uri text,
  grant_types text[],
  response_types text[],
  require_pkce boolean,
  dpop_bound_access_tokens boolean default false,
  reference_id text,
  metadata jsonb
);

create table oauth_resources (
  id uuid primary key,
  identifier text not null unique,
  name text not null,
  access_token_ttl integer,
  refresh_token_ttl integer,
  signing_algorithm text,
  signing_key_id text,
  allowed_scopes text[],
  custom_claims jsonb,
  dpop_bound_access_tokens_required boolean default false,
  disabled boolean default false,
  created_at timestamptz,
  updated_at timestamptz,
  policy_version integer default 1,
  metadata jsonb
);

create table oauth_client_resources (
  id uuid primary key,
  client_id text not null references oauth_clients (client_id) on delete cascade,
  resource_id text not null references oauth_resources (identifier) on delete cascade,
  metadata jsonb,
  created_at timestamptz,
  unique (client_id, resource_id)
);

-- Digests only.
create table oauth_refresh_tokens (
  id uuid primary key,
  token text not null unique,
  client_id text not null references oauth_clients (client_id) on delete cascade,
  session_id uuid references sessions (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  reference_id text,
  authorization_code_id text,
  resources text[],
  requested_user_info_claims text[],
  expires_at timestamptz not null,
  created_at timestamptz not null,
  revoked timestamptz,
  rotated_at timestamptz,
  rotation_replay_response text,
  rotation_replay_expires_at timestamptz,
  auth_time timestamptz,
  confirmation jsonb,
  scopes text[] not null
);
create index oauth_refresh_tokens_session on oauth_refresh_tokens (session_id);
create index oauth_refresh_tokens_client on oauth_refresh_tokens (client_id, user_id);
create index oauth_refresh_tokens_code on oauth_refresh_tokens (authorization_code_id);

create table oauth_access_tokens (
  id uuid primary key,
  token text not null unique,
  client_id text not null references oauth_clients (client_id) on delete cascade,
  session_id uuid references sessions (id) on delete cascade,
  user_id uuid references users (id) on delete cascade,
  reference_id text,
  authorization_code_id text,
  resources text[],
  requested_user_info_claims text[],
  refresh_id uuid references oauth_refresh_tokens (id) on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  revoked timestamptz,
  confirmation jsonb,
  scopes text[] not null
);
create index oauth_access_tokens_session on oauth_access_tokens (session_id);

-- What a person let a program do; reference_id is the organization.
create table oauth_consents (
  id uuid primary key,
  client_id text not null references oauth_clients (client_id) on delete cascade,
  user_id uuid references users (id) on delete cascade,
  reference_id text,
  resources text[],
  requested_user_info_claims text[],
  scopes text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index oauth_consents_user on oauth_consents (user_id, client_id);

create table oauth_client_assertions (
  id text primary key,
  expires_at timestamptz not null
);

-- Keys that sign access tokens of the tool protocol; the private half is encrypted.
create table oauth_keys (
  id uuid primary key,
  public_key text not null,
  private_key text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  alg text,
  crv text
);
