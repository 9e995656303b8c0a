/** What was measured against what was ordered: other concentrations or another instrument are told, never adjusted. */
import type { OrderedMeasurement } from '../assay.ts';
import { distinctFlags, flag } from '../../quality/flags.ts';
import type { Flag } from '../../quality/flags.ts';
import type { BindingAnalysis } from './types.ts';

/** A dilution series is prepared within this part of what was meant. */
const TOLERANCE = 0.2;

/** Adds a flag to every sequence and control that was measured otherwise than ordered. */
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
    if (technique !== undefined) found.push(techniqueFlag(technique, method ?? ''));
    const other = concentrationFlag(each.concentrationsM, concentrationsM ?? []);
    if (other !== null) found.push(other);
    if (found.length > 0) each.flags = distinctFlags([...each.flags, ...found]);
  }
  for (const [plate, technique] of otherwise)
    analysis.notices.push(`${plate}: the file says ${technique}, the order ${String(method)}.`);
}

function techniqueFlag(technique: string, ordered: string): Flag {
  const message = `The file says ${technique.toUpperCase()}, and ${ordered.toUpperCase()} was ordered; it was analysed as what the file says.`;
  return flag('TECHNIQUE_DIFFERS', 'warning', message);
}

/** Null when each is within a fifth of one that was ordered, or when none was. */
function concentrationFlag(measured: readonly number[], ordered: readonly number[]): Flag | null {
  const known = ordered.filter((value) => value > 0);
  if (known.length === 0) return null;
  const nearest = (value: number): number =>
    known.reduce((best, each) => (factor(each, value) < factor(best, value) ? each : best));
  const others = measured.filter((value) => value > 0 && factor(nearest(value), value) > 1 + TOLERANCE);
  const [first] = others;
  if (first === undefined) return null;
  const message = `Measured at ${listed(others)}, which is none of the ordered ${listed(known)}: a unit may be wrong.`;
  return flag('CONCENTRATIONS_DIFFER', 'warning', message, { value: first, limit: nearest(first) });
}

/** By how much two positive numbers differ, 1 for none. */
function factor(a: number, b: number): number {
  return Math.max(a / b, b / a);
}

function listed(molar: readonly number[]): string {
  return `${molar.map((value) => Number((value * 1e9).toPrecision(4))).join(', ')} nM`;
}
