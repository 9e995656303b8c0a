-- What the lab answers to a request for a target. The target that comes of it belongs to the organization that asked,
-- unless the lab puts it into the catalogue of everybody.

alter table targets
  -- null: everybody's
  add column owner_organization_id uuid references organizations (id),
  drop constraint targets_catalog_number_key;
create unique index targets_catalog_number on targets (catalog_number) where owner_organization_id is null;
create unique index targets_own_catalog_number on targets (owner_organization_id, catalog_number)
  where owner_organization_id is not null;

alter table target_requests
  -- until the antigen is in the lab
  add column lead_time_days integer check (lead_time_days between 0 and 730),
  -- a note with an approval, the reason of a refusal
  add column answer text,
  add column answered_by_user_id uuid references users (id),
  add column answered_at timestamptz;
create index target_requests_newest on target_requests (created_at desc, id desc);
