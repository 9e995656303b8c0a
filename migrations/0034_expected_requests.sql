-- Two feedbacks about one request are two; only an equal body is a repeat. A request is named by a UUID or by the id in
-- its answer (req_…).
alter table feedback drop constraint feedback_organization_id_request_uuid_key;
alter table feedback alter column request_uuid type text using request_uuid::text;
alter table feedback add column body_digest text;
update feedback set body_digest = encode(sha256(convert_to(
  jsonb_build_array(feedback_type, request_uuid, title, human_note, json_body)::text, 'UTF8')), 'hex');
alter table feedback alter column body_digest set not null;
create unique index feedback_body on feedback (organization_id, body_digest);

-- An organization requests a product once. Requests that an experiment made have no product of their own, and of
-- earlier repeats the first keeps it.
alter table target_requests add column product_key text;
update target_requests r set product_key = r.product_id
where r.experiment_id is null and not exists (
  select 1 from target_requests earlier
  where earlier.organization_id = r.organization_id and earlier.product_id = r.product_id
    and earlier.experiment_id is null and (earlier.created_at, earlier.id) < (r.created_at, r.id));
create unique index target_requests_product on target_requests (organization_id, product_key);

-- The id of the species is the taxonomy id; `ncbi_id` is the accession of the protein, which the protein database of
-- NCBI takes over from Swiss-Prot. A structure is named by the address of its coordinates.
update targets set details = details || jsonb_build_object('taxon_id', details ->> 'ncbi_id', 'ncbi_id', uniprot_id)
where details ->> 'ncbi_id' ~ '^[0-9]+$';
update targets set details = jsonb_set(details, '{structures}', (
  select coalesce(jsonb_agg(case
    when structure ->> 'url' like 'https://www.rcsb.org/structure/%'
    then structure || jsonb_build_object(
      'url', 'https://files.rcsb.org/download/' || (structure ->> 'id') || '.cif',
      'page_url', structure ->> 'url')
    else structure end order by place), '[]')
  from jsonb_array_elements(details -> 'structures') with ordinality as listed (structure, place)))
where jsonb_typeof(details -> 'structures') = 'array';
