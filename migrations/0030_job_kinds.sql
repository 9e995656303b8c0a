-- Jobs that wait keep the name that their operation has.
update jobs set kind = 'analyze_experiment' where kind = 'analyse_experiment';
update jobs set kind = 'reanalyze_experiment' where kind = 'reanalyse_experiment';
