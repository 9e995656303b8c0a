-- Targets are found by their species, too.
update targets set search_text = concat_ws(' ', search_text, details ->> 'organism');
