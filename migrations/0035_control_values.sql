-- The known KD of the positive control that the lab measures beside a target, in M. A plate whose control misses it has
-- no firm results. It is a value of the lab: clients do not see it in the catalog.
alter table targets add column control_kd_m double precision
  check (control_kd_m > 0 and control_kd_m < 1);
