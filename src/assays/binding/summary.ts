/** Sensorgrams in words. */
import type { ResultCurves } from '#features/results/store.ts';
import { formatConcentration } from '#core/number-words.ts';
import { describeEmpty, formatFlags } from '#features/results/words/results.ts';

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

function formatCount(count: number, noun: string): string {
  return `${COUNT_WORDS[count] ?? count} ${noun}${count === 1 ? '' : 's'}`;
}

export interface Contents {
  readonly replicates: number;
  /** Distinct known concentrations, ascending. */
  readonly concentrationsM: readonly number[];
  readonly hasFit: boolean;
}

/** Describes a figure for someone who cannot see it; `line` is the result in a sentence. */
export function writeSummary(result: ResultCurves, contents: Contents, line: string): string {
  const against = result.target_name === null ? '' : ` against ${result.target_name}`;
  const facts = [line];
  if (result.flags.length > 0) {
    facts.push(`${result.flags.length === 1 ? 'flag' : 'flags'}: ${formatFlags(result.flags)}`);
  }
  const subject = `${result.sequence_name}${against}, experiment ${result.experiment_code}`;
  if (contents.replicates === 0)
    return `${subject}: ${facts.join(', ')}. ${describeEmpty(result, 'sensorgrams')}`;
  const shown = [formatCount(contents.replicates, 'replicate'), ...formatRange(contents.concentrationsM)];
  const fit = contents.hasFit ? 'with fits and residuals' : 'without a fit';
  return `Sensorgrams of ${subject}: ${shown.join(', ')}, ${fit}; ${facts.join(', ')}.`;
}

function formatRange(concentrationsM: readonly number[]): string[] {
  const [lowest] = concentrationsM;
  const highest = concentrationsM.at(-1);
  if (lowest === undefined || highest === undefined) return [];
  const count = formatCount(concentrationsM.length, 'concentration');
  if (lowest === highest) return [`${count} (${formatConcentration(lowest)})`];
  return [`${count} (${formatConcentration(lowest)} to ${formatConcentration(highest)})`];
}
