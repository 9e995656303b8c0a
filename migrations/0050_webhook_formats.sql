-- What an endpoint is sent: the events themselves, or a text for a chat.
alter table webhooks add column format text not null default 'events' check (format in ('events', 'slack'));

-- Whose secrets signed an attempt; empty: nobody's; null: not known, because the attempt is older or never ended.
alter table webhook_attempts add column signed_with text[];

-- Secrets of experiments are sealed, as those of endpoints are. The service seals the older ones in the background.
alter table experiments add column sealed_webhook_secret text;
create index experiments_with_plain_secret on experiments (id) where webhook_secret is not null;
