/** What stands under melting curves: what the marks are, and how Tm came about. */
import type { MeltCurve } from '#features/results/curves.ts';
import type { ResultCurves } from '#features/results/store.ts';
import { formatModel } from '#features/results/words/models.ts';
import { formatQuantity, writePlainLine } from '#features/results/words/quantities.ts';
import {
  readSettings,
  writeAggregate,
  writeReplicates,
  writeSource,
} from '#features/results/figures/captions.ts';
import type { ResultWords } from '#features/results/words/result-words.ts';
import { writeWithoutTm } from './without-tm.ts';

/** `two-state unfolding, free baselines`; undefined without a fitted model in the record. */
function describeMeltModel(method: unknown, result: ResultCurves): string | undefined {
  const { baseline } = readSettings(result);
  if (typeof method !== 'string' || method === 'derivative') return undefined;
  // Only the two-state model has baselines with slopes of their own.
  const slopes =
    method === 'two_state' && typeof baseline === 'string'
      ? `, ${describeBaselines(baseline, result.analysis['shared_slopes'])}`
      : '';
  return `${formatModel(method)}${slopes}`;
}

const BASELINES: Readonly<Record<string, string>> = {
  auto: 'baseline slopes shared within each titration and of each curve elsewhere',
  free: 'baseline slopes of each curve',
  shared: 'baseline slopes shared by all curves',
  fixed: 'baseline slopes given in the settings',
};

/** `sharedSlopes` is what the record says: null where no curves share slopes, undefined where it does not say. */
export function describeBaselines(rule: string, sharedSlopes: unknown): string {
  const applied = rule === 'auto' && sharedSlopes === null ? 'free' : rule;
  return BASELINES[applied] ?? `baselines: ${applied.replaceAll('_', ' ')}`;
}

export function writeMeltCaption(result: ResultCurves, curves: readonly MeltCurve[]): string {
  const { derivative_half_window_c: window } = readSettings(result);
  const { tm_method: method } = result.summary;
  const { tm } = result.quantities;
  const hasTm = typeof tm?.value === 'number';
  const model = describeMeltModel(method, result);
  const hasFit = curves.some(({ fit }) => fit !== null);
  const isPartly = curves.some(({ fit }) => fit?.includes(null) === true);
  const half = typeof window === 'number' ? ` over ±${window} °C` : '';
  const marks = [
    `Dots: measured${describeChannels(curves, result.signal_unit)}`,
    ...(hasFit
      ? [
          `line: fit${model === undefined ? '' : ` (${model})`}${isPartly ? ', over the readings that it used' : ''}`,
          'below it the residual (measured − fit)',
        ]
      : []),
    `first derivative${half}`,
    ...(curves.some(({ scattering }) => (scattering ?? []).length > 0) ? ['light scattering'] : []),
    ...(hasTm ? ['dashed: Tm'] : []),
    ...(curves.some(({ tonset_c: onset }) => typeof onset === 'number')
      ? ['dotted: onset (1 % unfolded)']
      : []),
    ...(curves.some(({ tagg_c: tagg }) => typeof tagg === 'number') ? ['dash-dotted: aggregation'] : []),
  ];
  const by = method === 'derivative' ? 'by the maximum of the derivative, ' : '';
  const mean =
    tm === undefined || !hasTm
      ? writeReplicates(result)
      : `Tm: ${by}${writeAggregate(result, tm, { mean: 'arithmetic', member: 'tm', error: 'fit', amongLimits: 'mean' })}`;
  const common = isCommon(result)
    ? ' Where the signal is weak, it is one Tm of all replicates together.'
    : describeVague(result);
  const later = formatLaterTransitions(result.summary.tm_all, result.quantities);
  const several = later.length === 0 ? '' : ` Transitions above the first: ${later.join(', ')}.`;
  return `${marks.join('; ')}. ${mean}${common}${several} ${writeSource(result)}`;
}

/** Digits of a mean that are beyond the error of its sum. */
const SAME_C = 1e-6;

/**
 * Whether Tm may be that of all replicates together: the record does not say so, but only an uncertain one can be, and one
 * that is the mean of its replicates is not.
 */
function isCommon({ summary, flags, quantities, replicates }: ResultCurves): boolean {
  const value = quantities.tm?.value;
  if (summary.tm_method !== 'two_state' || typeof value !== 'number' || !flags.includes('TM_UNCERTAIN'))
    return false;
  const own = listOwnTms(replicates);
  // A common Tm rests on every replicate that has one.
  if ((quantities.tm?.n ?? own.length) < own.length) return false;
  const mean = own.reduce((sum, each) => sum + each, 0) / own.length;
  return !(Math.abs(mean - value) < SAME_C);
}

const listOwnTms = (replicates: ResultCurves['replicates']): number[] =>
  replicates.flatMap(({ tm }) => (typeof tm === 'number' ? [tm] : []));

/** The analysis leaves out of the mean what says little about Tm beside the others; empty where it did not. */
function describeVague({ quantities, replicates }: ResultCurves): string {
  const used = quantities.tm?.n;
  return typeof used === 'number' && used < listOwnTms(replicates).length
    ? ' A replicate whose interval is far wider than that of another does not count.'
    : '';
}

/** The temperatures of all transitions of a record, ascending. */
export function listTransitions(all: unknown): number[] {
  return (Array.isArray(all) ? all : []).filter((each): each is number => typeof each === 'number');
}

/** `71.0 °C (95% CI 70.4–71.6)` for every transition but the first; a result of an earlier engine has only their temperatures. */
export function formatLaterTransitions(all: unknown, quantities: ResultCurves['quantities']): string[] {
  return listTransitions(all)
    .map((celsius, at) => formatQuantity(quantities[`tm_${at + 1}`], 1) ?? `${celsius.toFixed(1)} °C`)
    .slice(1);
}

/** ` (ratio, in F350/F330)`. */
function describeChannels(curves: readonly MeltCurve[], unit: string): string {
  const channels = [...new Set(curves.map(({ channel }) => channel))]
    .filter((each) => each !== '')
    .map((each) =>
      each === 'unnamed' ? 'channel not named in the file' : each.replace(/^(\d+)nm$/, '$1 nm'),
    );
  return channels.length === 0 ? ` in ${unit}` : ` (${channels.join(', ')}, in ${unit})`;
}

/** Writes the caption of the small plots of a whole experiment, from one of its results. */
export function writeOverlaysCaption(
  result: ResultCurves,
  { control, labControl }: { readonly control: string | null; readonly labControl: string | null },
): string {
  const { derivative_half_window_c: window } = readSettings(result);
  const { tm_method: method } = result.summary;
  const model = describeMeltModel(method, result);
  const by =
    model === undefined ? (method === 'derivative' ? 'maximum of the derivative; ' : '') : `${model}; `;
  return [
    `Solid: every replicate of a sequence, ${result.signal_unit} from its lowest (0) to its highest value (1), and below it the first derivative d/dT${typeof window === 'number' ? ` over ±${window} °C` : ''} on that scale; what is steeper than every transition is drawn at the edge.`,
    `Dashed upright: Tm (${by}arithmetic mean of n replicates, or one fit of all n where the signal is weak; in brackets the 95% CI: of the mean the wider of the intervals from the fits and from their spread).`,
    ...(control === null ? [] : [`Dashed curve: first replicate of the control ${control}.`]),
    ...(labControl === null ? [] : [`Dotted upright: Tm of ${labControl}, the control of the run.`]),
    writeSource(result),
  ].join(' ');
}

export const thermostabilityWords: ResultWords = {
  writeLine,
  curves: 'melting curves',
};

function writeLine(result: ResultCurves): string {
  const { quantities, outcome } = result;
  const tm = formatQuantity(quantities.tm, 1);
  const onset = formatQuantity(quantities.tonset, 1);
  if (tm === undefined) {
    if (outcome !== 'measured') return writePlainLine(result);
    return writeWithoutTm({ ...result.summary, flags: result.flags });
  }
  return `Tm ${tm}${describeSeveral(result)}${onset === undefined ? '' : `, onset ${onset}`}`;
}

/** `, first of 2 transitions (the other: 69.3 °C (95% CI 68.9–69.7))`; empty for a single one. */
function describeSeveral({ summary: { tm_all: all }, quantities }: ResultCurves): string {
  const others = formatLaterTransitions(all, quantities);
  if (others.length === 0) return '';
  return `, first of ${others.length + 1} transitions (${others.length === 1 ? 'the other' : 'the others'}: ${others.join(', ')})`;
}
