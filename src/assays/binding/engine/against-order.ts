/**
 * Compares the measurement with the order: other concentrations or another instrument are flagged, never adjusted.
 */
import type { OrderedMeasurement } from '#analysis/assays/assay.ts';
import { removeDuplicateFlags, createFlag } from '#analysis/quality/flags.ts';
import type { Flag } from '#analysis/quality/flags.ts';
import { compareSeries } from '#analysis/assays/dose-series.ts';
import type { SeriesDifference } from '#analysis/assays/dose-series.ts';
import type { BindingAnalysis } from './types.ts';

/** Flags every sequence and control that was not measured as ordered. */
export function flagAgainstOrder(
  analysis: BindingAnalysis,
  { concentrationsM, method }: OrderedMeasurement,
): void {
  const otherwise = new Map<string, string>();
  for (const { plate, technique } of analysis.plates)
    if (technique !== null && method !== null && technique !== method) otherwise.set(plate, technique);
  for (const each of [...analysis.sequences, ...analysis.controls]) {
    const found: Flag[] = [];
    const [technique] = each.replicates.flatMap(({ plate }) => otherwise.get(plate) ?? []);
    if (technique !== undefined) found.push(flagTechnique(technique, method ?? ''));
    const difference = compareSeries(each.concentrationsM, concentrationsM ?? []);
    if (difference !== null) found.push(flagConcentrations(difference));
    if (found.length > 0) each.flags = removeDuplicateFlags([...each.flags, ...found]);
  }
  for (const [plate, technique] of otherwise)
    analysis.notices.push(`${plate}: the file says ${technique}, the order ${String(method)}.`);
}

function flagTechnique(technique: string, ordered: string): Flag {
  const message = `The file says ${technique.toUpperCase()}, and ${ordered.toUpperCase()} was ordered; it was analyzed as the file states.`;
  return createFlag('TECHNIQUE_DIFFERS', 'warning', message);
}

function flagConcentrations(difference: SeriesDifference): Flag {
  const { measured, ordered, factor, isUnit, extra, missing } = difference;
  const series = `Measured at ${formatConcentrations(measured)}; the order has ${formatConcentrations(ordered)}`;
  if (factor !== null) {
    const size = `the doses differ by the factor ${Number(factor.toPrecision(3))}`;
    const message = `${series}: ${size}${isUnit ? ', which looks like an error of the unit' : ''}.`;
    return createFlag('CONCENTRATIONS_DIFFER', 'warning', message, { value: factor, limit: 1 });
  }
  const parts = [
    ...(extra.length > 0 ? [`measured and not ordered: ${formatConcentrations(extra)}`] : []),
    ...(missing.length > 0 ? [`ordered and not measured: ${formatConcentrations(missing)}`] : []),
  ];
  const message = `${series}; ${parts.join('; ')}.`;
  // A dose that is missing widens the interval of the fit by itself; a dose that nobody ordered may be a wrong one.
  const severity = extra.length > 0 ? 'warning' : 'info';
  return createFlag('CONCENTRATIONS_DIFFER', severity, message, { value: extra[0] ?? missing[0] });
}

function formatConcentrations(molar: readonly number[]): string {
  return `${molar.map((value) => Number((value * 1e9).toPrecision(4))).join(', ')} nM`;
}
