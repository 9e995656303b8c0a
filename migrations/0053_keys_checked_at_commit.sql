-- What an experiment holds can be written before the experiment itself, so that a creation takes the organization's next
-- number, and keeps all others waiting for it, as late as possible.
alter table sequences alter constraint sequences_experiment_id_fkey deferrable initially deferred;
alter table quotes alter constraint quotes_experiment_id_fkey deferrable initially deferred;
