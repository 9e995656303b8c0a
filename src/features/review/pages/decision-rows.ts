/**
 * The rows on which a reviewer decides: replicates of the newest results, single curves of them, and whatever was left
 * out of the analysis before.
 * This folder: the pages of a review. Not here: its rules (`features/review`).
 */
import type { Output } from '#core/operation.ts';
import type { getResultCurves, ResultInfo } from '../../results/contract.ts';
import type { getLabReview } from '../contract.ts';
import { isSameReplicate, type DecisionName, type ReplicateKey, listOpenRepeats } from '../rules.ts';
import { formatSignalValue } from '../../results/words/quantities.ts';
import { formatReplicateKd } from '#assays/binding/replicate-kd.ts';
import { findResponseUnit } from '#assays/binding/row.ts';
import { formatBounded, formatFixed, formatNumber } from '#assays/cells.ts';
import { formatCount } from '#core/words.ts';
import { formatConcentration } from '#core/number-words.ts';
import type { LabExperiment } from '../../queue/contract.ts';
import { markup, type Markup } from '#ui/markup.ts';

export type Review = Output<typeof getLabReview>;
export type Curves = Output<typeof getResultCurves>['curves'];

export interface DecisionRow {
  readonly key: Required<ReplicateKey>;
  /** Undefined for what no analysis shows, because it was left out. */
  readonly outcome: string | null | undefined;
  readonly value: string | null;
  readonly flags: readonly string[];
  readonly decision: DecisionName;
  readonly reason: string;
  readonly decidedBy: string | null;
}

type Measured = ResultInfo['rows'][number]['replicates'][number];

/** Lists the replicates of a result, then those of it that were left out. */
export function listReplicateRows(item: ResultInfo, held: Review['decisions']): DecisionRow[] {
  const [row] = item.rows;
  const measured = (row?.replicates ?? []) as readonly Measured[];
  const unit = findResponseUnit(item);
  const { intensity_unit: intensityUnit }: Readonly<Record<string, unknown>> = { ...row };
  const rows = measured.map((each) => {
    const { replicate, plate, well, outcome, flags = [] } = each;
    const key = {
      sequence: item.sequence_name,
      plate: plate ?? '',
      replicate,
      well: well ?? null,
      concentration_m: null,
    };
    return {
      key,
      outcome,
      value: formatValue({ ...each, response_unit: unit, intensity_unit: intensityUnit }),
      flags,
      ...findHeld(key, held),
    };
  });
  const others = held.filter(
    (each) =>
      each.sequence === item.sequence_name &&
      each.decision !== 'accept' &&
      rows.every(({ key }) => !isSameReplicate(key, each)),
  );
  return [...rows, ...others.map((each) => createHeldRow(each, held))].toSorted(
    (a, b) => a.key.replicate - b.key.replicate,
  );
}

/** Lists the curves of the replicates that hold several, such as the doses of a titration. */
export function listCurveRows(
  item: ResultInfo,
  curves: Curves,
  { held, replicates }: { readonly held: Review['decisions']; readonly replicates: readonly DecisionRow[] },
): DecisionRow[] {
  return replicates.flatMap(({ key }) => {
    const doses = curves.flatMap((curve) =>
      curve.kind === 'sensorgram' && curve.replicate === key.replicate ? (curve.concentration_m ?? []) : [],
    );
    const distinctDoses = [...new Set(doses)];
    if (key.concentration_m !== null || distinctDoses.length < 2) return [];
    return distinctDoses.map((dose) => {
      const own = { ...key, sequence: item.sequence_name, well: null, concentration_m: dose };
      return { key: own, outcome: null, value: null, flags: [], ...findHeld(own, held) };
    });
  });
}

type Held = Pick<DecisionRow, 'decision' | 'reason' | 'decidedBy'>;

function findHeld(key: ReplicateKey, held: Review['decisions']): Held {
  const decision = held.find((each) => isSameReplicate(each, key));
  return decision === undefined
    ? { decision: 'accept', reason: '', decidedBy: null }
    : { decision: decision.decision, reason: decision.reason ?? '', decidedBy: decision.decided_by };
}

function createHeldRow(each: Review['decisions'][number], held: Review['decisions']): DecisionRow {
  const { sequence, plate, replicate, well, concentration_m: dose } = each;
  const key = { sequence, plate, replicate, well, concentration_m: dose };
  return { key, outcome: undefined, value: null, flags: [], ...findHeld(key, held) };
}

type Writer = (fields: Readonly<Record<string, unknown>>) => string | null;

function write(name: string, relation: string, format: (value: number) => string): Writer {
  return ({ [name]: value, [relation]: sign }) =>
    typeof value === 'number' ? formatBounded(value, typeof sign === 'string' ? sign : null, format) : null;
}

/** The value by which people judge a replicate; the first that it has. */
const VALUES: readonly Writer[] = [
  (fields) => formatReplicateKd(fields)?.signed ?? null,
  write('tm', 'tm_relation', (value) => `${formatFixed(value, 1)} °C`),
  write('yield_ng_per_ul', 'yield_ng_per_ul_relation', (value) => `${formatNumber(value)} ng/µL`),
  write(
    'normalized_to_control',
    'normalized_to_control_relation',
    (value) => `${formatNumber(value)} × control`,
  ),
  ({ response, response_unit: unit }) =>
    typeof response === 'number'
      ? [formatSignalValue(response), unit].filter((part) => typeof part === 'string').join(' ')
      : null,
  ({ intensity_unit: unit, ...fields }) =>
    write('intensity', 'intensity_relation', (value) =>
      typeof unit === 'string' ? `${formatNumber(value)} ${unit}` : formatNumber(value),
    )(fields),
];

function formatValue(fields: Readonly<Record<string, unknown>>): string | null {
  for (const format of VALUES) {
    const text = format(fields);
    if (text !== null) return text;
  }
  return null;
}

/** What the run in production measures again, as the review decided it. */
export function renderRepeatsCard({ decisions }: Review, { runs }: LabExperiment): Markup | null {
  const open = listOpenRepeats(decisions, runs);
  if (open.length === 0) return null;
  const rows = open.map(
    (
      each,
    ) => markup`<li><div><strong><bdi>${each.sequence}</bdi></strong>, replicate ${each.replicate}${each.concentration_m !== null && markup`, ${formatConcentration(each.concentration_m)}`}
<p class="hint">Before on <bdi>${each.plate}</bdi>${each.well !== null && ` in ${each.well}`}${each.reason !== null && markup`: <bdi>${each.reason}</bdi>`}</p></div></li>`,
  );
  return markup`<section class="card" aria-labelledby="repeats"><h2 id="repeats">Measure again: ${formatCount(open.length, 'measurement')}</h2><ul class="rows">${rows}</ul></section>`;
}
