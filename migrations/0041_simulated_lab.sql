-- Who takes the steps of the lab in a sandbox: nobody has switched it while there is no row.
create table simulated_lab (
  only_row boolean primary key default true check (only_row),
  mode text not null check (mode in ('simulated', 'manual')),
  changed_by text not null,
  changed_at timestamptz not null
);
