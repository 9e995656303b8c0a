-- People who bring clients of their own: within their own organization they may make organizations and first tokens.

create table partners (
  user_id uuid not null references users (id),
  organization_id uuid not null references organizations (id),
  created_at timestamptz not null,
  primary key (user_id, organization_id)
);

-- Which organization came through which partner.
create table partner_organizations (
  organization_id uuid primary key references organizations (id),
  partner_organization_id uuid not null references organizations (id),
  domain text,
  created_at timestamptz not null
);
create index partner_organizations_partner on partner_organizations (partner_organization_id);
