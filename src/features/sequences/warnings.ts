/** Warnings of many sequences as one sentence per rule, with a count and the first examples. */
import type { SequenceWarningCode } from './quality.ts';

export type WarningRule =
  | SequenceWarningCode
  | 'stop_removed'
  | 'not_all_inspected'
  | 'unknown_key'
  | 'concentrations_in_molar'
  | 'webhooks_off';

export interface RuleWarning {
  readonly rule: WarningRule;
  /** Name of the sequence; null when the warning is about the request as a whole. */
  readonly sequence: string | null;
  /** What was found there, in one or two sentences. */
  readonly message: string;
}

export interface WarningExample {
  readonly sequence: string | null;
  readonly message: string;
}

export interface WarningGroup {
  readonly rule: WarningRule;
  /** Number of sequences, or of places in the request. */
  readonly count: number;
  readonly examples: WarningExample[];
}

const EXAMPLES_MAX = 3;

/** Collects warnings by rule; keeps their number and the first examples only, so that a large library needs no room. */
export class WarningGroups {
  readonly #groups = new Map<WarningRule, { count: number; readonly examples: WarningExample[] }>();

  add({ rule, sequence, message }: RuleWarning): void {
    const group = this.#groups.get(rule) ?? { count: 0, examples: [] };
    this.#groups.set(rule, group);
    group.count += 1;
    if (group.examples.length < EXAMPLES_MAX) group.examples.push({ sequence, message });
  }

  list(): WarningGroup[] {
    return [...this.#groups].map(([rule, { count, examples }]) => ({ rule, count, examples }));
  }
}

/** What several sequences have in common, after "12 sequences". */
const COMMON: Readonly<
  Record<
    Exclude<WarningRule, 'not_all_inspected' | 'unknown_key' | 'concentrations_in_molar' | 'webhooks_off'>,
    string
  >
> = {
  chain_short: 'have a chain under 30 residues, which expresses and loads poorly',
  chain_long: 'have a chain over 400 residues, of which cell-free expression yields little',
  total_long: 'have more than 1000 residues in all, which the lab may have to quote separately',
  cysteine_odd: 'have an odd number of cysteines, so at least one stays unpaired and may form dimers',
  cysteine_many: 'have a chain with more than 8 cysteines, which often pair wrongly',
  glycosylation_motif:
    'have an N-glycosylation motif (N-X-S/T); glycans there depend on the expression system',
  hydrophobic: 'have a very hydrophobic chain (GRAVY above 0.5), which may aggregate',
  highly_charged:
    'have a chain with a net charge beyond 20 at pH 7; such proteins often bind the sensor itself',
  homopolymer: 'have a run of six or more of one residue, which is hard to synthesize and to express',
  start_missing: 'do not start with methionine; one is added for expression',
  signal_peptide: 'seem to begin with a signal peptide; leave it out unless the protein is to keep it',
  internal_tag: 'have a tag inside, where it may be hidden or capture the protein by the wrong end',
  low_complexity: 'have a stretch of low complexity; repeats are hard to synthesize and seldom fold',
  absorbance_blind: 'have neither tryptophan nor tyrosine, so their amount cannot be measured at 280 nm',
  labile_motif: 'have chemically labile motifs (NG, DG or DP)',
  duplicate_sequence:
    'have the same sequence as an earlier one; all are made and measured, as replicates of each other',
  stop_removed: 'ended with "*", which was removed',
};

/** The sentence of a group. One sequence gets its own words; several share those of the rule. */
function formatWarning({ rule, count, examples }: WarningGroup): string {
  const messages = examples.map(({ sequence, message }) =>
    sequence === null ? message : `${sequence}: ${message}`,
  );
  const more = count - examples.length;
  const rest = more.toLocaleString('en-US');
  if (
    count === 1 ||
    rule === 'concentrations_in_molar' ||
    rule === 'not_all_inspected' ||
    rule === 'unknown_key' ||
    rule === 'webhooks_off'
  )
    return messages.join(' ') + (more > 0 ? ` And ${rest} more.` : '');
  const names = examples.map(({ sequence }) => sequence ?? '').join(', ');
  return `${count.toLocaleString('en-US')} sequences ${COMMON[rule]}: ${names}${more > 0 ? ` and ${rest} more` : ''}.`;
}

/** The two forms in which an answer carries warnings. */
export function describeWarnings(groups: readonly WarningGroup[]) {
  return { warnings: groups.map(formatWarning), warning_groups: [...groups] };
}
