-- In the order in which a sender claims, so that it reads as many rows of a lane as it takes.
create index webhook_deliveries_claim on webhook_deliveries (lane, next_at, position) where status = 'waiting';
drop index webhook_deliveries_waiting;
