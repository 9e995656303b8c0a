-- Whoever records an attempt works on it next; until then nobody may end it as interrupted. Null once somebody has
-- worked on it.
alter table payment_attempts add column reserved_until timestamptz;
