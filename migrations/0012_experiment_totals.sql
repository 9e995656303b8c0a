-- How many experiments an organization has, kept in the row that a creation holds anyway; lists read it as their total.

alter table experiment_counters add column live_count integer not null default 0 check (live_count >= 0);

update experiment_counters c
set live_count = (select count(*) from experiments e where e.organization_id = c.organization_id)
where c.series = 1;
