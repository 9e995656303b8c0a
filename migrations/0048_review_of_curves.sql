-- A decision may be about one curve of a replicate, named by its concentration in M; null: the whole replicate.
alter table replicate_decisions add column concentration_m double precision check (concentration_m > 0);

-- The rank is compared with that of other results, so it is read without the rest of the record.
alter table results add column place integer generated always as ((record ->> 'place')::integer) stored;
