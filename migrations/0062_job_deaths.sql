-- How many processes died while they held the job. After the second it is put aside, because it may be what killed them.
alter table jobs add column deaths integer not null default 0;
