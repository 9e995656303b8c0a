-- A sequence of which the data neither show nor exclude binding has an outcome of its own. Released versions keep
-- what they said.
alter table results drop constraint results_outcome_check;
alter table results add constraint results_outcome_check check (outcome in
  ('measured', 'non_binder', 'inconclusive', 'not_expressed', 'failed_qc', 'not_tested'));
