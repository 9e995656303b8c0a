-- What the lab has of a target: the lot in use and the mass in stock. Clients do not see it. A target that is not
-- listed is retired: nobody can order it, and the experiments that have it keep it.
alter table targets
  add column lot text,
  add column stock_ug double precision check (stock_ug >= 0 and stock_ug < 'infinity'),
  add column updated_at timestamptz;
update targets set updated_at = created_at;
