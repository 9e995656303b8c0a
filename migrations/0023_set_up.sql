-- The link with which a live environment is set up: its first administrator names themselves.

alter table person_links
  drop constraint person_links_purpose_check,
  add constraint person_links_purpose_check check (purpose in ('sign_in', 'set_password', 'sign_up', 'set_up'));
