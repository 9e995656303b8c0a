-- Which directory holds the raw files of this database: a file of that directory has the same id. A service that has
-- another directory does not start, because it would lack the files that the others receive.
create table raw_file_directory (
  only_row boolean primary key default true check (only_row),
  id uuid not null,
  claimed_at timestamptz not null
);
