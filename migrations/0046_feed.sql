-- The feed gives each update a place: dense for its organization, and in the order in which updates become visible. A
-- row is written with its change and without a place, so that no write waits for another. After the commit one process
-- at a time gives waiting rows their places, with an id that sorts the same way.
alter table updates
  -- The order in which rows were written; a cause is written before its effect.
  add column arrival bigint generated always as identity,
  -- Null while the row waits for its place.
  add column sequence bigint check (sequence > 0),
  add column event_type text,
  add column actor_kind text check (actor_kind in ('client', 'lab', 'service')),
  add column actor text,
  -- What it is about and what changed: ids, numbers, amounts, values before and after.
  add column details jsonb;

update updates u set sequence = n.place,
  event_type = case
    when u.name = 'Experiment created' then 'experiment.created'
    when u.type = 'status_change' then 'experiment.status_changed'
    else coalesce(k.event_type, 'experiment.noted') end
from (select id, row_number() over (partition by organization_id order by id) as place from updates) n
join updates o on o.id = n.id
left join (values
  ('Quote opened', 'quote.opened'), ('Quote rejected', 'quote.rejected'), ('Quote expired', 'quote.expired'),
  ('Quote withdrawn', 'quote.withdrawn'), ('Quote canceled', 'quote.canceled'),
  ('Invoice open', 'invoice.opened'), ('Invoice paid', 'invoice.paid'), ('Invoice voided', 'invoice.voided'),
  ('Invoice closed as uncollectible', 'invoice.written_off'), ('Credit note issued', 'invoice.credited'),
  ('Surplus payment refunded', 'invoice.surplus_refunded'), ('Refund sent', 'refund.sent'),
  ('Results available', 'results.released'), ('Some results available', 'results.partly_released'),
  ('Results amended', 'results.amended'), ('Raw file recorded', 'raw_file.recorded'),
  ('Analysis in progress', 'analysis.progressed'), ('Data analyzed', 'analysis.completed'),
  ('Analysis stopped', 'analysis.stopped'), ('Analyzed again', 'analysis.repeated'),
  ('Target approved', 'target.approved'), ('Target declined', 'target.declined'),
  ('Materials delayed', 'materials.delayed'), ('Waiting for payment', 'run.waiting_for_payment'),
  ('Waiting for the lab', 'run.waiting_for_lab')) k (name, event_type) on k.name = o.name
where n.id = u.id;
alter table updates alter column event_type set default 'experiment.noted';
alter table updates alter column event_type set not null;

-- What happened to a deleted draft stays in the feed.
alter table updates drop constraint updates_experiment_id_fkey;

-- A waiting row is in no index of the feed, so that it costs its writer little.
drop index updates_newest;
drop index updates_experiment;
drop index updates_type;
create index updates_waiting on updates (arrival) where sequence is null;
create index updates_of on updates (experiment_id, id);
create unique index updates_place on updates (organization_id, sequence) where sequence is not null;
create index updates_feed on updates (organization_id, id) where sequence is not null;
create index updates_newest on updates (organization_id, created_at desc, id desc) where sequence is not null;
create index updates_type on updates (organization_id, type, id desc) where sequence is not null;

-- The last id that was given. Whoever gives places holds this row, and a reader takes it as the end of what there is.
create table update_head (
  is_only boolean primary key default true check (is_only),
  last_id uuid not null
);
insert into update_head (last_id)
select coalesce((select id from updates order by id desc limit 1), '00000000-0000-0000-0000-000000000000');
