-- Since when an experiment has been in its status, for the queue of the lab, and the notes that staff keep beside it.
alter table experiments add column status_since timestamptz;
update experiments e set status_since = coalesce(
  (select max(u.created_at) from updates u where u.experiment_id = e.id and u.type = 'status_change'), e.created_at);
alter table experiments alter column status_since set default now();
alter table experiments alter column status_since set not null;
create index experiments_status_since on experiments (status_since, id);

create table experiment_notes (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  experiment_id uuid not null references experiments (id) on delete cascade,
  author text not null,
  note text not null,
  created_at timestamptz not null
);
create index experiment_notes_of on experiment_notes (experiment_id, created_at);
