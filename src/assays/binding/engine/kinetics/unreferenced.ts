/**
 * What sticks to any sensor looks like weak binding. Reference sensors show it, and so do negative controls; without
 * either, nothing on the plate tells it from binding.
 */
import { computeMedian } from '#analysis/numerics/statistics.ts';
import { createFlag, type Flag } from '#analysis/quality/flags.ts';
import type { Technique } from '#analysis/curves/trace.ts';
import type { BindingSettings } from '../settings.ts';
import type { ReferenceRule } from './reference-rule.ts';

export interface Unreferenced {
  technique: Technique | null;
  rule: ReferenceRule;
  /** Responses of the negative controls of the plate at their highest concentration. */
  negatives: readonly number[];
  response: number;
}

/** A response up to this many times that of the negative controls is no binding that anything tells from theirs. */
const SAME_FACTOR_MAX = 2;

/**
 * Returns the flag of a response that no reference sensor was subtracted from, and whether the negative controls respond
 * alike, so that it is no sign of binding. SPR subtracts its reference flow cell before it writes the file.
 */
export function flagUnreferenced(
  { technique, rule, negatives, response }: Unreferenced,
  settings: BindingSettings,
): { flag: Flag; isAlike: boolean } | null {
  const isReferenced = rule === 'reference' || rule === 'double';
  if (technique !== 'bli' || isReferenced || settings.reference !== 'auto') return null;
  if (negatives.length === 0) {
    const message =
      'No reference sensor was subtracted and the plate has no negative control: nothing tells binding from what sticks to any sensor.';
    return { flag: createFlag('NO_REFERENCE', 'warning', message), isAlike: false };
  }
  const value = computeMedian(negatives) / response;
  const limit = settings.limits.nsbFractionMax;
  if (!(value > limit)) return null;
  const isAlike = value * SAME_FACTOR_MAX >= 1;
  const message = `The negative controls show ${(100 * value).toPrecision(2)} % of the response, and no reference sensor was subtracted: ${isAlike ? 'what sticks to any sensor explains it, so binding is not shown' : 'part of it is non-specific'}.`;
  return { flag: createFlag('NSB', 'warning', message, { value, limit }), isAlike };
}
