-- How the newest link went out. Only a mailed one proves the address; who copies a link may give it to anybody.
alter table invitations add column delivery text not null default 'mail' check (delivery in ('mail', 'link'));
