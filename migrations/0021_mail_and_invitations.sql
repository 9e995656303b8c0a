-- Mail on its way, and people asked to join an organization.

-- What a sign-up link will make: the name of the person and of the organization.
alter table person_links add column details jsonb;

create table mails (
  id uuid primary key,
  recipient text not null,
  subject text not null,
  -- forgotten once a mail server has taken it: it may hold a one-time link
  content jsonb,
  created_at timestamptz not null,
  sent_at timestamptz
);
create index mails_newest on mails (created_at desc, id desc);

create table invitations (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  email text not null check (email = lower(email)),
  role text not null check (role in ('viewer', 'member', 'billing', 'admin')),
  -- SHA-256 of the secret part of the newest link
  digest bytea not null unique,
  invited_by_user_id uuid not null references users (id),
  created_at timestamptz not null,
  sent_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz
);
create index invitations_organization on invitations (organization_id, created_at desc, id desc);
create unique index invitations_open on invitations (organization_id, email)
  where accepted_at is null and revoked_at is null;
