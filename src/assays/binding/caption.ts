/** What stands under sensorgrams: what the marks are, and what was done to them, from the record of the analysis. */
import { formatCount } from '#core/words.ts';
import { formatConcentration } from '#core/number-words.ts';
import type { Sensorgram } from '#features/results/curves.ts';
import type { ResultCurves } from '#features/results/store.ts';
import { writeSource } from '#features/results/figures/captions.ts';
import { computeRange } from '#documents/figures/scale.ts';
import { describeDoubt } from './candidates.ts';
import { nameReplicates } from '#features/results/words/models.ts';
import {
  describeBulkShift,
  describeDrift,
  describeModels,
  describeRmaxRule,
  describeSubtraction,
  describeTechnique,
  listReplicateFacts,
  readPlateFacts,
} from './replicate-facts.ts';

/** Describes the fitted curves; undefined when none is drawn. */
function describeFit(result: ResultCurves, curves: readonly Sensorgram[]): string | undefined {
  const fitted = curves.filter((curve) => curve.fit !== null);
  if (fitted.length === 0) return undefined;
  const drawn = new Set(fitted.map(({ replicate }) => replicate));
  const facts = listReplicateFacts(result).filter(({ replicate }) => drawn.has(replicate));
  const model = describeModels(facts);
  const details = [
    ...(model === '' ? [] : [model]),
    ...[describeRmaxRule(facts), describeDrift(facts, result.signal_unit), describeBulkShift(facts)].filter(
      (words) => words !== '',
    ),
  ].join('; ');
  return `thin line: one fit to the curves of a replicate${writeWindows(fitted)}${details === '' ? '' : ` (${details})`}`;
}

/** Describes the fitted time windows, if all curves share them. */
function writeWindows(fitted: readonly Sensorgram[]): string {
  const formatSeconds = (value: number) => String(Math.round(value));
  const windows = fitted.map((curve) => {
    const timesS = curve.time_s.filter((_, index) => Number.isFinite(curve.fit?.[index] ?? Number.NaN));
    const range = computeRange([timesS]);
    if (range === undefined) return '';
    const [start, end] = [curve.association_start_s, curve.dissociation_start_s];
    if (range.high <= end)
      return `, ${nameAssociation(curve)} ${formatSeconds(start)}–${formatSeconds(range.high)} s`;
    const phase = nameAssociation(curve);
    return `, ${phase} ${formatSeconds(start)}–${formatSeconds(end)} s and dissociation ${formatSeconds(end)}–${formatSeconds(range.high)} s`;
  });
  const [first = ''] = windows;
  return windows.every((each) => each === first) ? first : '';
}

function nameAssociation({ injections }: Sensorgram): string {
  return injections === undefined ? 'association' : formatCount(injections.length, 'injection');
}

/** Says which curves took no part in the analysis of their replicate; empty without any. */
function describeExcluded(curves: readonly Sensorgram[]): string {
  const left = curves.filter(({ excluded }) => excluded === true);
  if (left.length === 0) return '';
  const replicates = [...new Set(left.map(({ replicate }) => replicate))];
  const doses = [...new Set(left.flatMap(({ concentration_m: dose }) => dose ?? []))];
  const doseList = doses.length === 0 ? '' : ` (${doses.map(formatConcentration).join(', ')})`;
  return `${left.length} ${left.length === 1 ? 'curve' : 'curves'} of ${nameReplicates(replicates)}${doseList} left out of the analysis`;
}

/** Names the replicates whose value comes from plateaus, for which no curve is drawn; empty without any. */
function describePlateaus(result: ResultCurves): string {
  const flat = listReplicateFacts(result).filter(({ model }) => model === 'steady_state');
  return flat.length === 0
    ? ''
    : `${nameReplicates(flat.map(({ replicate }) => replicate))}: KD from the plateaus (steady state), no curve is fitted`;
}

/** `numbers`: sentences about the numbers of the assay. */
export function writeSensorgramCaption(
  result: ResultCurves,
  curves: readonly Sensorgram[],
  { isClipped, numbers }: { readonly isClipped: boolean; readonly numbers: string },
): string {
  const { techniques } = readPlateFacts(result.analysis, result.replicates);
  const how = describeTechnique(techniques, result.method);
  const subtraction = describeSubtraction(listReplicateFacts(result));
  const fit = describeFit(result, curves);
  const residual = `lower plot: residual (measured − fit${isClipped ? '; spikes cut at the edge' : ''})`;
  const marks = [
    `${fit === undefined ? 'Lines' : 'Thick lines'}: signal in ${result.signal_unit}${how}${subtraction === '' ? '' : `, ${subtraction}`}`,
    ...(fit === undefined ? [] : [fit, residual]),
    describePlateaus(result),
    describeExcluded(curves),
  ].filter((words) => words !== '');
  const doubt = describeDoubt(result);
  return [
    `${marks.join('; ')}.`,
    ...(doubt === undefined ? [] : [doubt.sentence]),
    numbers,
    writeSource(result),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}
