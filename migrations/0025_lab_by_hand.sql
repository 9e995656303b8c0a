-- Runs that people record themselves, and what was understood of the files they bring.

-- in a sandbox the simulated lab leaves such an experiment alone
alter table runs add column by_hand boolean not null default false;
-- why the run started before its invoice was paid
alter table runs add column override_reason text;
-- what stopped the analysis of its files; null when nothing did
alter table runs add column problem text;

-- null: recorded by the simulated lab, which reads nothing back
alter table raw_files add column understood jsonb;
