-- What a client writes with the acceptance stands beside the notes of the lab, which never change once a quote is open.
alter table quotes add column acceptance_notes text;
