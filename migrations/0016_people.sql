-- People sign in: passwords, passkeys, an identity provider, sessions with a device, one-time links by mail.

update users set email = lower(email);
drop index users_email;
alter table users
  add column email_verified boolean not null default false,
  add column image text,
  add column updated_at timestamptz,
  add constraint users_email_lower check (email = lower(email)),
  add constraint users_email unique (email);
update users set updated_at = created_at;
alter table users alter column updated_at set not null;

-- How a person proves to be the one: a password (provider_id 'credential'), or the subject of an identity provider.
create table accounts (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  provider_id text not null,
  account_id text not null,
  password text,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (provider_id, account_id)
);
create index accounts_user on accounts (user_id);

create table passkeys (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  name text,
  public_key text not null,
  credential_id text not null unique,
  counter bigint not null,
  device_type text not null,
  backed_up boolean not null,
  transports text,
  aaguid text,
  created_at timestamptz
);
create index passkeys_user on passkeys (user_id);

-- What one step of a ceremony leaves for the next: a passkey challenge, the state of a sign-in at a provider.
create table verifications (
  id uuid primary key,
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index verifications_identifier on verifications (identifier);

create table rate_limits (
  id uuid primary key,
  key text not null unique,
  count integer not null,
  last_request bigint not null
);

-- What is counted and limited: failed passwords and mails asked for, by address, whether it is known or not.
create table attempts (
  -- SHA-256 of what is counted and of whom
  digest bytea primary key,
  count integer not null,
  first_at timestamptz not null
);
create index attempts_age on attempts (first_at);

drop table sign_in_links;
create table person_links (
  digest bytea primary key,
  purpose text not null check (purpose in ('sign_in', 'set_password', 'sign_up')),
  email text not null,
  -- nobody yet, for a sign-up
  user_id uuid references users (id) on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index person_links_user on person_links (user_id);

drop table sessions;
create table sessions (
  id uuid primary key,
  -- SHA-256 of what the cookie carries
  token text not null unique,
  user_id uuid not null references users (id) on delete cascade,
  active_organization_id uuid references organizations (id),
  ip_address text,
  user_agent text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  expires_at timestamptz not null,
  seen_at timestamptz
);
create index sessions_user on sessions (user_id);

-- A session acts through a token of its own in each organization it has been in.
alter table tokens add column session_id uuid;
create index tokens_session on tokens (session_id) where session_id is not null;
