/** What is subtracted from the curves of a replicate. */
import { AnalysisError } from '#analysis/failures/errors.ts';

export type ReferenceRule = 'none' | 'blank' | 'reference' | 'double';

/** Returns the rule of the settings, or by `auto` the one that takes off most of what the sensors allow. */
export function chooseReferenceRule(
  sample: string,
  has: { references: boolean; blank: boolean; referenceBlank: boolean },
  rule: ReferenceRule | 'auto',
): ReferenceRule {
  const possible: Record<ReferenceRule, boolean> = {
    double: has.references && has.blank && has.referenceBlank,
    reference: has.references,
    blank: has.blank,
    none: true,
  };
  if (rule !== 'auto') {
    if (possible[rule]) return rule;
    throw new AnalysisError(
      'steps_missing',
      `Reference rule "${rule}" needs sensors that ${sample} does not have.`,
    );
  }
  if (possible.double) return 'double';
  if (possible.reference) return 'reference';
  return possible.blank ? 'blank' : 'none';
}
