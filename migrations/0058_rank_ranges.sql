-- The rank by intervals. `rank_best` and `rank_worst` are the ends of the interval that ranks a result, on a scale on
-- which smaller is better; they are null without a place. `released_place` is the place among the released results.
alter table results add column rank_best double precision, add column rank_worst double precision,
  add column released_place integer;

-- Stored results are ranked by their own values. A limit reaches from its value to infinity, a value without an
-- interval is a point, and an interval with one end is open at the other.
with quantities as (
  select r.id, r.experiment_type in ('affinity') as is_low_better,
    case r.experiment_type
      when 'affinity' then r.record #> '{quantities,kd}'
      when 'thermostability' then r.record #> '{quantities,tm}'
      when 'expression' then r.record #> '{quantities,yield_ng_per_ul}'
      when 'fluorescence' then coalesce(r.record #> '{quantities,normalized_to_control}', r.record #> '{quantities,intensity}')
      when 'screening' then jsonb_build_object('value', coalesce(r.summary #> '{0,z_score}', '0'), 'relation', '=')
    end as quantity
  from results r where r.place is not null),
stated as (
  select id, is_low_better, (quantity ->> 'value')::float8 as value, quantity ->> 'relation' as relation,
    (quantity ->> 'ci95_low')::float8 as low, (quantity ->> 'ci95_high')::float8 as high
  from quantities where jsonb_typeof(quantity -> 'value') = 'number'),
ends as (
  select id, is_low_better,
    case when relation = '<' then '-infinity' when relation = '>' or (low is null and high is null) then value
      else coalesce(low, '-infinity') end as low,
    case when relation = '>' then 'infinity' when relation = '<' or (low is null and high is null) then value
      else coalesce(high, 'infinity') end as high
  from stated)
update results r set rank_best = case when is_low_better then low else -high end,
  rank_worst = case when is_low_better then high else -low end
from ends where ends.id = r.id;

-- In each version: 1 + the number of results whose whole interval is better.
with ends as (
  select experiment_id, version, id, rank_best as at, false as is_worst from results where rank_best is not null
  union all select experiment_id, version, id, rank_worst, true from results where rank_best is not null),
counted as (
  select id, is_worst, 1 + (count(*) filter (where is_worst) over (partition by experiment_id, version order by at
    range between unbounded preceding and current row exclude group))::int as place
  from ends)
update results r set record = jsonb_set(record, '{place}', to_jsonb(counted.place)),
  summary = case when jsonb_typeof(summary #> '{0,place}') = 'number'
    then jsonb_set(summary, '{0,place}', to_jsonb(counted.place)) else summary end
from counted where counted.id = r.id and not counted.is_worst and r.place <> counted.place;

-- Among the released results that no later version replaced.
with present as (
  select * from results where released_at is not null and superseded_at is null and rank_best is not null),
ends as (
  select experiment_id, id, rank_best as at, false as is_worst from present
  union all select experiment_id, id, rank_worst, true from present),
counted as (
  select id, is_worst, 1 + (count(*) filter (where is_worst) over (partition by experiment_id order by at
    range between unbounded preceding and current row exclude group))::int as place
  from ends)
update results r set released_place = counted.place
from counted where counted.id = r.id and not counted.is_worst;

-- Of those that a later version replaced: among the results that were present as long as they were.
update results r set released_place = (select count(*)::int + 1 from results o
  where o.experiment_id = r.experiment_id and o.rank_worst < r.rank_best and o.released_at < r.superseded_at
    and coalesce(o.superseded_at, 'infinity') >= r.superseded_at)
where r.released_at is not null and r.superseded_at is not null and r.rank_best is not null;
