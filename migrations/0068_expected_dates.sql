-- Which days the lab works, and how long an order waits for its run; one row.
create table lab_calendar (
  is_only boolean primary key default true check (is_only),
  time_zone text not null default 'UTC',
  workdays text[] not null default '{mon,tue,wed,thu,fri}',
  closing_days text[] not null default '{}',
  materials_workdays integer not null default 10 check (materials_workdays >= 0),
  queue_workdays integer not null default 3 check (queue_workdays >= 0),
  run_starts_per_workday integer not null default 4 check (run_starts_per_workday > 0),
  updated_at timestamptz not null
);
insert into lab_calendar (updated_at) values (now());

-- the turnaround that was offered when the order was submitted, the date that its client knows, and the first such date
alter table experiments add column turnaround_workdays integer;
alter table experiments add column eta timestamptz;
alter table experiments add column promised_at timestamptz;
update experiments e set turnaround_workdays = a.turnaround_workdays from assay_types a
  where a.experiment_type = e.experiment_type and e.status not in ('draft', 'done', 'canceled');

create index experiments_in_line on experiments (status_since, id) where status in ('waiting_for_materials', 'in_queue');
create index experiments_promised on experiments (promised_at, id) where promised_at is not null;

-- the expected date on the day on which the quote was opened, as its document prints it
alter table quotes add column opened_eta timestamptz;
alter table updates add column eta timestamptz;
