-- Mail about what happens. The feed tells of most facts; the others are written down beside it. Who is told is chosen
-- after the commit of the fact, once for each fact and person.

-- The last update of the feed that was looked at. Whoever chooses recipients or writes mails holds this row.
create table notice_head (
  is_only boolean primary key default true check (is_only),
  last_id uuid not null
);
insert into notice_head (last_id) select last_id from update_head;

-- Facts that the feed does not have, because they are about no experiment or not for the client.
create table notice_facts (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  kind text not null,
  experiment_code text,
  -- what the mail says: texts by their names
  details jsonb not null,
  created_at timestamptz not null,
  -- null while nobody has been chosen to be told
  told_at timestamptz
);
create index notice_facts_waiting on notice_facts (created_at, id) where told_at is null;
create index notice_facts_told on notice_facts (told_at) where told_at is not null;

-- One fact for one person. The id is made from both, so that nobody is told twice.
create table notices (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  user_id uuid not null references users (id),
  -- one of the list of notifications, of clients or of staff
  event text not null,
  details jsonb not null,
  created_at timestamptz not null,
  due_at timestamptz not null,
  is_daily boolean not null,
  -- the mail that tells it, once it is written
  mail_id uuid
);
create index notices_due on notices (due_at) where mail_id is null;
create index notices_of_mail on notices (mail_id) where mail_id is not null;
create index notices_created on notices (created_at);

-- What a person chose for the mails of one organization; without one for those to the staff of the lab.
create table notification_settings (
  user_id uuid not null references users (id),
  organization_id uuid references organizations (id),
  -- how each event is told: what is missing is told as usual for the role
  choices jsonb not null,
  digest_hour integer not null check (digest_hour between 0 and 23),
  updated_at timestamptz not null,
  unique nulls not distinct (user_id, organization_id)
);
