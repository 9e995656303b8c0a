/**
 * Westgard rules over the values of controls, as deviations in standard deviations from their mean (westgard.com). "Beyond"
 * is strict: a value on a limit is within it.
 */
export const westgardRules = ['1_2s', '1_3s', '2_2s', 'R_4s', '4_1s', '8_x', '10_x'] as const;
export type WestgardRule = (typeof westgardRules)[number];

/** A warning asks for a look; a rejection holds the results of the run back. */
export type RuleSeverity = 'warning' | 'rejection';

interface RuleMeaning {
  readonly severity: RuleSeverity;
  readonly error: 'random' | 'systematic';
  readonly title: string;
}

const WESTGARD: Readonly<Record<WestgardRule, RuleMeaning>> = {
  '1_2s': { severity: 'warning', error: 'random', title: 'One value is beyond 2 standard deviations.' },
  '1_3s': { severity: 'rejection', error: 'random', title: 'One value is beyond 3 standard deviations.' },
  '2_2s': {
    severity: 'rejection',
    error: 'systematic',
    title: 'Two values, consecutive or in one run, are beyond the same limit of 2 standard deviations.',
  },
  R_4s: {
    severity: 'rejection',
    error: 'random',
    title: 'In one run one value is above 2 standard deviations and another below.',
  },
  '4_1s': {
    severity: 'rejection',
    error: 'systematic',
    title: 'Four consecutive values are beyond the same limit of 1 standard deviation.',
  },
  '8_x': {
    severity: 'rejection',
    error: 'systematic',
    title: 'Eight consecutive values are on one side of the mean.',
  },
  '10_x': {
    severity: 'rejection',
    error: 'systematic',
    title: 'Ten consecutive values are on one side of the mean.',
  },
};

/** Returns the severity of the gravest of these rules; null for none. */
export function findSeverity(rules: readonly WestgardRule[]): RuleSeverity | null {
  if (rules.some((rule) => WESTGARD[rule].severity === 'rejection')) return 'rejection';
  return rules.length === 0 ? null : 'warning';
}

/** Rules about consecutive values of one control: how many, beyond how many standard deviations on one side. */
const SEQUENCES: readonly { readonly rule: WestgardRule; readonly count: number; readonly beyond: number }[] =
  [
    { rule: '2_2s', count: 2, beyond: 2 },
    { rule: '4_1s', count: 4, beyond: 1 },
    { rule: '8_x', count: 8, beyond: 0 },
    { rule: '10_x', count: 10, beyond: 0 },
  ];

/**
 * Returns the rules that each value of one control breaks together with those before it.
 * @param deviations in time order, in standard deviations; null for a value that is not judged, which interrupts a sequence.
 */
export function findSequenceRules(deviations: readonly (number | null)[]): WestgardRule[][] {
  return deviations.map((deviation, index) => {
    if (deviation === null) return [];
    const rules: WestgardRule[] = [];
    if (Math.abs(deviation) > 2) rules.push('1_2s');
    if (Math.abs(deviation) > 3) rules.push('1_3s');
    for (const { rule, count, beyond } of SEQUENCES) {
      const last = deviations.slice(Math.max(0, index + 1 - count), index + 1);
      if (last.length === count && isOnOneSide(last, beyond)) rules.push(rule);
    }
    return rules;
  });
}

function isOnOneSide(deviations: readonly (number | null)[], beyond: number): boolean {
  return (
    deviations.every((each) => each !== null && each > beyond) ||
    deviations.every((each) => each !== null && each < -beyond)
  );
}

/** Returns the rules that two values of one run break, of one control or of several. */
export function findRunRules(deviations: readonly number[]): WestgardRule[] {
  const above = deviations.filter((each) => each > 2).length;
  const below = deviations.filter((each) => each < -2).length;
  const rules: WestgardRule[] = [];
  if (above >= 2 || below >= 2) rules.push('2_2s');
  if (above >= 1 && below >= 1) rules.push('R_4s');
  return rules;
}
