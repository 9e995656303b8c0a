/** The table of rates, and a line for each result that misled. */
import { countFaults, FAULTS, findLimit, type Judged } from './judge.ts';

export const TABLE_HEAD = [
  '<!-- count/of (one-sided 95 % lower limit in %); ! exceeds its limit: 5 % of intervals, rates and limits, 0.5 % of silent misses, false positives and false negatives, 15 % (BLI) or 10 % of lost = in clean families -->',
  `| family | ${FAULTS.join(' | ')} |`,
  `|---|${FAULTS.map(() => '---').join('|')}|`,
];

export function formatRow(family: string, judged: readonly Judged[]): string {
  const counted = countFaults(judged);
  const cells = FAULTS.map((fault) => {
    const { count, of, lowerLimit } = counted[fault];
    if (of === 0) return '–';
    const limit = findLimit(family, fault);
    const mark = limit !== null && lowerLimit > limit ? ' !' : '';
    return `${count}/${of}${count === 0 ? '' : ` (${(lowerLimit * 100).toFixed(1)})`}${mark}`;
  });
  return `| ${family} | ${cells.join(' | ')} |`;
}

export function formatMisses(judged: readonly Judged[]): string[] {
  return judged.flatMap(({ family, seed, subject, reading, error, verdict }) => {
    const faults = FAULTS.filter((fault) => verdict[fault] === true);
    if (faults.length === 0) return [];
    const value = reading?.value;
    const said =
      error ??
      `${reading?.outcome} ${value === null || value === undefined ? '–' : `${value.relation} ${value.value?.toPrecision(3)} [${value.ci95_low?.toPrecision(3)}–${value.ci95_high?.toPrecision(3)}]`} flags ${reading?.flags.join(',')}`;
    const truth = subject.truth === null ? 'none' : subject.truth.low.toPrecision(3);
    return [`- \`${family}:${seed}\` ${subject.name}: ${faults.join(', ')}; truth ${truth}; said ${said}`];
  });
}
