/**
 * `npm run calibrate -- [--sets=N] [--row=NAME,…] [--seconds=S] [--misses]`
 *
 * Simulates and analyzes the sets of each row of `calibrate/rows.ts`, and prints one line for each row: how often KD is
 * stated with `=`, and how often the 95 % intervals of KD, kon and koff, and the limits, cover the true value.
 * `docs/decisions/honest-intervals.md` records these shares. `--seconds` stops each row after that time; `--misses`
 * prints each interval and limit that misses.
 */
import { parseArgs } from 'node:util';
import type { Quantity } from '#analysis/quantities/quantity.ts';
import { isLimit } from '#core/relations.ts';
import { ROWS } from './calibrate/rows.ts';
import type { Row } from './calibrate/rows.ts';
import { simulateRow } from './calibrate/simulate.ts';

const { values } = parseArgs({
  options: {
    sets: { type: 'string', default: '200' },
    row: { type: 'string' },
    seconds: { type: 'string', default: 'Infinity' },
    misses: { type: 'boolean', default: false },
  },
});

const QUANTITIES = ['kd', 'kon', 'koff'] as const;
type QuantityName = (typeof QUANTITIES)[number];

/** How many statements there are, and how many of them cover the true value. */
interface Coverage {
  stated: number;
  covering: number;
}

const createCoverage = (): Coverage => ({ stated: 0, covering: 0 });

/** Whether the interval of a measured value contains the truth, or the truth lies on the stated side of a limit. */
function isCovering({ relation, value, ci95Low, ci95High }: Quantity, truth: number): boolean {
  if (isLimit(relation)) return relation === '<' ? truth < value : truth >= value;
  return ci95Low !== null && ci95High !== null && ci95Low < truth && truth < ci95High;
}

function reportRow(row: Row, sets: number, seconds: number): string {
  const endMs = performance.now() + 1000 * seconds;
  const intervals: Record<QuantityName, Coverage> = {
    kd: createCoverage(),
    kon: createCoverage(),
    koff: createCoverage(),
  };
  const limits = createCoverage();
  let count = 0;
  for (const { truth, found, flags } of simulateRow(row, sets)) {
    count += 1;
    const truths = { kd: truth.koff / truth.kon, kon: truth.kon, koff: truth.koff };
    for (const name of QUANTITIES) {
      const quantity = found[name];
      if (quantity === null || quantity.relation === '~') continue;
      const coverage = isLimit(quantity.relation) ? limits : intervals[name];
      coverage.stated += 1;
      if (isCovering(quantity, truths[name])) coverage.covering += 1;
      else if (values.misses) printMiss(name, quantity, { truth, flags });
    }
    if (performance.now() > endMs) break;
  }
  const shares = QUANTITIES.map((name) => formatCoverage(intervals[name]));
  const measured = formatPercent(intervals.kd.stated, count);
  return [row.name, count, measured, ...shares, `${limits.covering} of ${limits.stated}`].join(' | ');
}

function printMiss(
  quantity: QuantityName,
  { relation, value, ci95Low, ci95High }: Quantity,
  miss: {
    readonly truth: object;
    readonly flags: readonly string[];
  },
): void {
  const flags = [...new Set(miss.flags)];
  console.log(JSON.stringify({ quantity, relation, value, ci95Low, ci95High, truth: miss.truth, flags }));
}

function formatCoverage({ stated, covering }: Coverage): string {
  return `${formatPercent(covering, stated)} of ${stated}`;
}

function formatPercent(part: number, all: number): string {
  return all === 0 ? '–' : ((100 * part) / all).toFixed(1);
}

function findRow(name: string): Row {
  const row = ROWS.find((each) => each.name === name);
  if (row !== undefined) return row;
  throw new Error(
    `There is no row ${name}. Name one or several of ${ROWS.map((each) => each.name).join(', ')}.`,
  );
}

function readPositive(name: string, text: string): number {
  const value = Number(text);
  if (value > 0) return value;
  throw new Error(`--${name} is ${text}: give a number above 0.`);
}

const rows = values.row?.split(',').map(findRow) ?? ROWS;
const sets = readPositive('sets', values.sets);
const seconds = readPositive('seconds', values.seconds);
console.log('row | sets | `=` of KD in % | KD in % | kon in % | koff in % | limits that hold');
for (const row of rows) console.log(reportRow(row, sets, seconds));
