-- Finds sequences of an organization that were ordered before, whatever their length.
create index sequences_by_content on sequences (organization_id, md5(aa_string));
