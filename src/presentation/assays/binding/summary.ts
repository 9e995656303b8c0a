/** Sensorgrams in words. */
import type { ResultCurves } from '#domain/results/store.ts';
import { concentrationText, emptyText, flagsText } from '../../words/results.ts';

const COUNT_WORDS = [
  'no',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];

function counted(count: number, noun: string): string {
  return `${COUNT_WORDS[count] ?? count} ${noun}${count === 1 ? '' : 's'}`;
}

export interface Contents {
  readonly replicates: number;
  /** Distinct and known, ascending. */
  readonly concentrationsM: readonly number[];
  readonly hasFit: boolean;
}

/** What someone who cannot see the picture needs from it; `line` is the result in a sentence. */
export function writeSummary(result: ResultCurves, contents: Contents, line: string): string {
  const against = result.target_name === null ? '' : ` against ${result.target_name}`;
  const facts = [line];
  if (result.flags.length > 0) {
    facts.push(`${result.flags.length === 1 ? 'flag' : 'flags'}: ${flagsText(result.flags)}`);
  }
  const subject = `${result.sequence_name}${against}, experiment ${result.experiment_code}`;
  if (contents.replicates === 0)
    return `${subject}: ${facts.join(', ')}. ${emptyText(result, 'sensorgrams')}`;
  const shown = [counted(contents.replicates, 'replicate'), ...rangeText(contents.concentrationsM)];
  const fit = contents.hasFit ? 'with fits and residuals' : 'without a fit';
  return `Sensorgrams of ${subject}: ${shown.join(', ')}, ${fit}; ${facts.join(', ')}.`;
}

function rangeText(concentrationsM: readonly number[]): string[] {
  const [lowest] = concentrationsM;
  const highest = concentrationsM.at(-1);
  if (lowest === undefined || highest === undefined) return [];
  const count = counted(concentrationsM.length, 'concentration');
  if (lowest === highest) return [`${count} (${concentrationText(lowest)})`];
  return [`${count} (${concentrationText(lowest)} to ${concentrationText(highest)})`];
}
