-- Whether a delivery waits for its turn only, not for its time. A sender goes through the lanes of those alone, so that
-- lanes that wait for their time cost it nothing.
alter table webhook_deliveries add column is_due boolean not null default true;
update webhook_deliveries set is_due = false where status = 'waiting' and next_at > now();
-- In the order in which a sender walks: organizations, their lanes, the deliveries of a lane.
create index webhook_deliveries_turn on webhook_deliveries (organization_id, lane, next_at, position)
  where status = 'waiting' and is_due;
create index webhook_deliveries_later on webhook_deliveries (next_at) where status = 'waiting' and not is_due;
drop index webhook_deliveries_claim;
drop index webhook_deliveries_due;
