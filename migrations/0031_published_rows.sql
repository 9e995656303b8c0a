-- The rows of results take the published meanings. `concentration_value` was the highest concentration of the antigen
-- in M; it is the concentration of the expressed protein, which nobody has measured. `method` was the technique; it
-- names the fit. The words of the analysis have names of our own: technique, model, call, comparison, concentrations_m.

create function find_fit(model text) returns text language sql immutable as $$
  select case when model in ('heterogeneous_ligand', 'bivalent_analyte') then '2:1' when model is not null then '1:1' end
$$;

create function find_kind(model text) returns text language sql immutable as $$
  select case when model = 'bivalent_analyte' then model when model is not null then 'standard' end
$$;

create function list_models(given jsonb) returns table (model text, at bigint) language sql immutable as $$
  select model, at from jsonb_array_elements_text(
    case jsonb_typeof(given) when 'array' then given else '[]' end) with ordinality as listed (model, at)
$$;

create function publish_words(given jsonb) returns jsonb language sql immutable as $$
  select jsonb_build_object(
    'binding', case given ->> 'binding' when 'inconclusive' then 'unknown' else given ->> 'binding' end,
    'call', case given ->> 'binding' when 'true' then 'binder' when 'false' then 'non_binder' else given ->> 'binding' end,
    'expression', case given ->> 'expression' when 'expressed' then 'high' when 'low' then 'low' when 'none' then 'low' end)
$$;

create function publish_replicate(given jsonb) returns jsonb language sql immutable as $$
  select given || publish_words(given) || jsonb_build_object(
    'technique', given -> 'method',
    'model', given -> 'model',
    'method', find_fit(given ->> 'model'),
    'kon_method', case when given ->> 'kon_method' is not null then find_fit(given ->> 'model') end,
    'koff_method', case when given ->> 'koff_method' is not null then find_fit(given ->> 'model') end)
$$;

create function publish_binding(given jsonb, outcome text, details jsonb) returns jsonb language sql immutable as $$
  select given || publish_words(given) || jsonb_build_object(
    'outcome', outcome,
    'concentration_value', null,
    'concentration_display', null,
    'concentrations_m', coalesce(given -> 'concentrations_m', details -> 'concentrations_m',
      jsonb_path_query_array(given, '$.concentration_value ? (@ != null)')),
    'technique', given -> 'method' -> 0,
    'model', given -> 'binding_model',
    'method', (select jsonb_agg(fit order by first) from (
      select find_fit(model) as fit, min(at) as first
      from list_models(given -> 'binding_model') group by 1) fits),
    'binding_model', (select jsonb_agg(kind order by first) from (
      select find_kind(model) as kind, min(at) as first
      from list_models(given -> 'binding_model') group by 1) kinds),
    'replicates', (select coalesce(jsonb_agg(publish_replicate(replicate) order by at), '[]')
      from jsonb_array_elements(given -> 'replicates') with ordinality as listed (replicate, at)))
$$;

create function publish_verdicts(given jsonb) returns jsonb language sql immutable as $$
  select jsonb_build_object(
    'comparison', coalesce(given -> 'performance', '{}'),
    'performance', coalesce((
      select jsonb_object_agg(control, case when verdict in ('better', 'worse') then verdict end)
      from jsonb_each_text(given -> 'performance') as each_control (control, verdict)), '{}'))
$$;

update results set summary = (
  select jsonb_agg(case
      when item ? 'comparison' then item
      when item ->> 'result_type' = 'affinity'
        then publish_binding(item, outcome, record -> 'details') || publish_verdicts(item)
      else item || publish_verdicts(item) end order by at)
  from jsonb_array_elements(summary) with ordinality as listed (item, at))
where jsonb_array_length(summary) > 0;

drop function publish_binding, publish_verdicts, publish_replicate, publish_words, list_models, find_fit, find_kind;
