-- Equal amino acids are one design, whatever they are called and however often they are ordered. The digest only finds
-- candidates quickly, within one organization.
alter table sequences add column aa_md5 text generated always as (md5(aa_string)) stored;
create index sequences_design on sequences (organization_id, aa_md5, created_at, id);
create index results_sequence on results (sequence_id);
