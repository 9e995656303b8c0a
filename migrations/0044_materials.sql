-- What must be in the lab before a run can start: one row for each material that staff said something about. A
-- material without a row is missing.
create table experiment_materials (
  organization_id uuid not null references organizations (id),
  experiment_id uuid not null references experiments (id) on delete cascade,
  -- the sequence; for the antigen the experiment itself
  subject_id uuid not null,
  status text not null check (status in ('ordered', 'received', 'in_stock')),
  form text not null check (form in ('gene_fragment', 'protein')),
  lot text,
  amount_ug double precision check (amount_ug > 0 and amount_ug < 'infinity'),
  concentration_mg_per_ml double precision
    check (concentration_mg_per_ml > 0 and concentration_mg_per_ml < 'infinity'),
  expires_on date,
  recorded_by text not null,
  updated_at timestamptz not null,
  primary key (experiment_id, subject_id)
);

-- Experiments beyond this step have their materials.
insert into experiment_materials (organization_id, experiment_id, subject_id, status, form, recorded_by, updated_at)
select e.organization_id, e.id, s.id, 'received', 'gene_fragment', 'migration', e.updated_at
from experiments e join sequences s on s.experiment_id = e.id
where e.status in ('in_queue', 'in_production', 'data_analysis', 'in_review', 'done');
insert into experiment_materials (organization_id, experiment_id, subject_id, status, form, recorded_by, updated_at)
select e.organization_id, e.id, e.id, 'received', 'protein', 'migration', e.updated_at
from experiments e
where e.status in ('in_queue', 'in_production', 'data_analysis', 'in_review', 'done')
  and (e.target_id is not null or e.requested_target is not null);
