-- Another analysis of the same run makes a new version of every result; lists show the newest released one.

alter table results add column superseded_at timestamptz;

-- which request asked for the analysis; null for the first one of a run
alter table results add column analysis_id uuid;
create index results_analysis on results (experiment_id, analysis_id) where analysis_id is not null;
