-- What clients tell the lab. A client repeats a submission under its own id until it has heard the reference.

create table feedback (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  user_id uuid not null references users (id),
  request_uuid uuid not null,
  reference text not null unique,
  feedback_type text not null check (feedback_type in ('feature_request', 'feedback', 'bug_report')),
  title text,
  human_note text,
  json_body jsonb,
  created_at timestamptz not null,
  unique (organization_id, request_uuid)
);
create index feedback_newest on feedback (created_at desc, id desc);
