-- Whether the lease of the job was renewed since it was claimed. A process that dies soon after a claim accuses no job.
alter table jobs add column is_long boolean not null default false;
