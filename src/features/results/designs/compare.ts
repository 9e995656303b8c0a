/** Joins results of several experiments and subtracts what can be subtracted. */
import { isLimit } from '#core/relations.ts';
import type { Measure } from '../figures/measures.ts';
import type { ShownQuantity } from '../store.ts';
import type { Comparison, JoinKey } from './contract.ts';
import type { ComparedRow } from './store.ts';

type Item = Comparison['items'][number];
type Value = NonNullable<Item['values'][number]>;
type Difference = NonNullable<Item['differences'][number]>;
type Drift = NonNullable<Comparison['experiments'][number]['drift']>;

/** The quantity by which the assay compares. */
export function findQuantity(measure: Measure, row: ComparedRow): ShownQuantity | undefined {
  return measure.getQuantity({ ...row, grade: row.grade ?? undefined });
}

/** The value by which the assay compares; of a non-binder at most a limit. */
function readValue(measure: Measure, row: ComparedRow): Value {
  const { result_id, sequence_name, outcome, grade, place } = row;
  const quantity =
    outcome === 'measured' || outcome === 'non_binder' ? findQuantity(measure, row) : undefined;
  const has = typeof quantity?.value === 'number';
  return {
    result_id,
    sequence_name,
    outcome,
    grade,
    place,
    value: has ? quantity.value : null,
    relation: has ? quantity.relation : null,
    ci95_low: (has ? quantity.ci95_low : null) ?? null,
    ci95_high: (has ? quantity.ci95_high : null) ?? null,
  };
}

/** Joins the results of experiments; of several results of one design in an experiment, the best counts. */
export function joinResults(
  experiments: readonly (readonly ComparedRow[])[],
  measure: Measure,
  join: JoinKey,
): Item[] {
  const getKey = ({ aa_md5: content, sequence_name: name }: ComparedRow) =>
    join === 'name' ? name : content;
  const maps = experiments.map((rows) => {
    const map = new Map<string, ComparedRow>();
    for (const row of rows) if (!map.has(getKey(row))) map.set(getKey(row), row);
    return map;
  });
  const keys = [...new Set(experiments.flatMap((rows) => rows.map(getKey)))];
  const count = (key: string): number => maps.filter((map) => map.has(key)).length;
  const joined = [...keys.filter((key) => count(key) > 1), ...keys.filter((key) => count(key) === 1)];
  const rows = joined.map((key) => maps.map((map) => map.get(key)));
  const changes = maps.map((_, at) => computeRankChanges(rows, at));
  return rows.map((found, place) => {
    const values = found.map((row) => (row === undefined ? null : readValue(measure, row)));
    return {
      name: values.find((value) => value !== null)?.sequence_name ?? '',
      is_control: found.some((row) => row?.is_control === true),
      values,
      differences: values.map((value, at) => {
        const difference = at === 0 ? null : subtract(values[0] ?? null, value, measure.isDecades);
        return difference && { ...difference, rank_change: changes[at]?.get(place) ?? null };
      }),
    };
  });
}

/** By the place in the list, how much a design moved among those that the first and this experiment both rank. */
function computeRankChanges(
  rows: readonly (readonly (ComparedRow | undefined)[])[],
  at: number,
): ReadonlyMap<number, number> {
  const ranked = rows.flatMap((found, index) => {
    const [first, other] = [found[0]?.place ?? null, found[at]?.place ?? null];
    return first === null || other === null ? [] : [{ index, first, other }];
  });
  const rank = (key: 'first' | 'other') => {
    const places = ranked.map((each) => each[key]).toSorted((a, b) => a - b);
    return (each: (typeof ranked)[number]): number => places.indexOf(each[key]);
  };
  const [rankFirst, rankOther] = [rank('first'), rank('other')];
  return new Map(ranked.map((each) => [each.index, rankOther(each) - rankFirst(each)]));
}

/**
 * Subtracts two values, on their logarithms where the assay ranks in decades. A limit says only on which side the value
 * lies, so that it has no difference. The interval joins those of both (the square-and-add rule of Newcombe 1998), which
 * may be lopsided.
 */
export function subtract(
  from: Value | null,
  value: Value | null,
  isDecades: boolean,
): Omit<Difference, 'rank_change'> | null {
  const [a, b] = [placeOnScale(from, isDecades), placeOnScale(value, isDecades)];
  if (a === undefined || b === undefined) return null;
  const delta = b.value - a.value;
  if (a.low === null || a.high === null || b.low === null || b.high === null)
    return { delta, ci95_low: null, ci95_high: null };
  return {
    delta,
    ci95_low: delta - Math.hypot(b.value - b.low, a.high - a.value),
    ci95_high: delta + Math.hypot(b.high - b.value, a.value - a.low),
  };
}

function placeOnScale(value: Value | null, isDecades: boolean) {
  if (value?.value === undefined || value.value === null || isLimit(value.relation ?? '')) return undefined;
  if (isDecades && value.value <= 0) return undefined;
  const scale = (end: number | null): number | null => {
    if (end === null || !isDecades) return end;
    return end > 0 ? Math.log10(end) : null;
  };
  const [low, high] = [scale(value.ci95_low), scale(value.ci95_high)];
  return { value: isDecades ? Math.log10(value.value) : value.value, low, high };
}

/** What the controls that two experiments have in common say of a shift between them. */
export function computeDrift(items: readonly Item[], at: number): Drift {
  const differences = items.flatMap(({ is_control: isControl, differences: all }) => {
    const difference = all[at] ?? null;
    return isControl && difference !== null ? [difference] : [];
  });
  const { length: count } = differences;
  if (count === 0) return { n_controls: 0, mean_delta: null, ci95_low: null, ci95_high: null };
  const mean = differences.reduce((sum, { delta }) => sum + delta, 0) / count;
  const widths = differences.map(({ delta, ci95_low: low, ci95_high: high }) =>
    low === null || high === null ? null : ([delta - low, high - delta] as const),
  );
  const join = (side: 0 | 1): number | null =>
    widths.some((width) => width === null)
      ? null
      : Math.hypot(...widths.map((width) => width?.[side] ?? 0)) / count;
  const [below, above] = [join(0), join(1)];
  return {
    n_controls: count,
    mean_delta: mean,
    ci95_low: below === null ? null : mean - below,
    ci95_high: above === null ? null : mean + above,
  };
}
