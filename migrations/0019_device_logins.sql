-- Programs without a browser that wait for a person to let them in (RFC 8628).

create table device_logins (
  id uuid primary key,
  -- SHA-256 of what the program polls with
  device_code_digest bytea not null unique,
  -- what the person compares and enters; eight letters
  user_code text not null unique check (user_code ~ '^[BCDFGHJKLMNPQRSTVWXZ]{8}$'),
  device_name text not null,
  address text not null,
  status text not null check (status in ('pending', 'approved', 'denied', 'used')),
  -- between two polls
  interval_s integer not null,
  last_polled_at timestamptz,
  -- decided by, and for what
  user_id uuid references users (id),
  organization_id uuid references organizations (id),
  role text check (role in ('viewer', 'member', 'billing', 'admin')),
  lifetime text check (lifetime in ('7d', '30d', '90d', '1y')),
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index device_logins_age on device_logins (expires_at);
