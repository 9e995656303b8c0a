-- Waiting jobs keep the name of their operation, and runs the name of their status.
update jobs set kind = 'analyze_experiment' where kind = 'analyse_experiment';
update jobs set kind = 'reanalyze_experiment' where kind = 'reanalyse_experiment';
alter table runs drop constraint runs_status_check;
update runs set status = 'analyzed' where status = 'analysed';
alter table runs add constraint runs_status_check check (status in ('running', 'complete', 'analyzed'));
