-- What a person does in the lab. Whoever was of the staff keeps every right, so has every role.
alter table users
  add column staff_roles text[] not null default '{}'
    check (staff_roles <@ array['operator', 'manager', 'finance']),
  add column staff_since timestamptz;
update users set staff_roles = '{operator,manager,finance}', staff_since = created_at where is_staff;
-- Processes of the version before still read this column while they are replaced.
alter table users drop column is_staff;
alter table users add column is_staff boolean not null generated always as (staff_roles <> '{}') stored;
create index users_staff on users (id) where is_staff;
