-- What a token may spend and has spent. Null is no limit of its own; every ancestor with a limit is charged as well.

alter table tokens add column max_spend_cents bigint check (max_spend_cents >= 0);
alter table tokens add column spent_cents bigint not null default 0;
alter table tokens add constraint tokens_within_limit check (max_spend_cents is null or spent_cents <= max_spend_cents);
