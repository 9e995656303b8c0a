-- A small picture of the curves as JSON, so that one answer has those of a whole experiment. Null for results from
-- before; it is computed when it is read.
alter table result_curves add column thumbnail text;

-- What lists sort and filter by, beside the record: a stored record is large and compressed, and an experiment may have
-- a thousand.
alter table results
  add column quantities jsonb generated always as (record -> 'quantities') stored,
  add column flags jsonb generated always as (record #> '{qc,flags}') stored,
  add column grade text generated always as (record #>> '{assessment,grade}') stored,
  add column is_control boolean generated always as ((record ->> 'is_control')::boolean) stored,
  add column class text generated always as
    (coalesce(summary #>> '{0,binding_strength}', summary #>> '{0,expression_class}')) stored,
  add column excluded_kd_m double precision generated always as ((summary #>> '{0,kd_detectable_m}')::float8) stored;
