/**
 * Compares the measurement with the order: other concentrations or another instrument are flagged, never adjusted.
 */
import type { OrderedMeasurement } from '../assay.ts';
import { removeDuplicateFlags, createFlag } from '../../quality/flags.ts';
import type { Flag } from '../../quality/flags.ts';
import type { BindingAnalysis } from './types.ts';

/** A prepared dilution series may deviate from the intended one by this fraction. */
const TOLERANCE = 0.2;

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
    const other = flagConcentrations(each.concentrationsM, concentrationsM ?? []);
    if (other !== null) found.push(other);
    if (found.length > 0) each.flags = removeDuplicateFlags([...each.flags, ...found]);
  }
  for (const [plate, technique] of otherwise)
    analysis.notices.push(`${plate}: the file says ${technique}, the order ${String(method)}.`);
}

function flagTechnique(technique: string, ordered: string): Flag {
  const message = `The file says ${technique.toUpperCase()}, and ${ordered.toUpperCase()} was ordered; it was analyzed as the file states.`;
  return createFlag('TECHNIQUE_DIFFERS', 'warning', message);
}

/** Returns null when each concentration is within a fifth of an ordered one, or when none was ordered. */
function flagConcentrations(measured: readonly number[], ordered: readonly number[]): Flag | null {
  const known = ordered.filter((value) => value > 0);
  if (known.length === 0) return null;
  const chooseNearest = (value: number): number =>
    known.reduce((best, each) => (computeFactor(each, value) < computeFactor(best, value) ? each : best));
  const others = measured.filter(
    (value) => value > 0 && computeFactor(chooseNearest(value), value) > 1 + TOLERANCE,
  );
  const [first] = others;
  if (first === undefined) return null;
  const message = `Measured at ${formatConcentrations(others)}; the order has ${formatConcentrations(known)}: a unit may be wrong.`;
  return createFlag('CONCENTRATIONS_DIFFER', 'warning', message, {
    value: first,
    limit: chooseNearest(first),
  });
}

/** Returns the factor between two positive numbers; 1 when they are equal. */
function computeFactor(a: number, b: number): number {
  return Math.max(a / b, b / a);
}

function formatConcentrations(molar: readonly number[]): string {
  return `${molar.map((value) => Number((value * 1e9).toPrecision(4))).join(', ')} nM`;
}
