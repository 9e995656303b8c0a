/**
 * `npm run calibrate -- [--sets=N] [--row=NAME,…] [--seconds=S] [--misses]`
 *
 * Prints for each row of simulated runs the share of `=` and how many of their 95 % intervals of KD, kon and koff hold
 * the truth, as `docs/decisions/honest-intervals.md` states them. `--seconds` ends a row early; `--misses` prints every
 * interval that misses.
 */
import { parseArgs } from 'node:util';
import type { Quantity } from '#analysis/quantities/quantity.ts';
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

function isWithin({ ci95Low, ci95High }: Quantity, truth: number): boolean {
  return ci95Low !== null && ci95High !== null && ci95Low < truth && truth < ci95High;
}

function reportRow(row: Row, sets: number): string {
  const endMs = performance.now() + 1000 * Number(values.seconds);
  const measured = { kd: 0, kon: 0, koff: 0 };
  const held = { kd: 0, kon: 0, koff: 0 };
  const bounds = { all: 0, held: 0 };
  let count = 0;
  for (const { truth, found, flags } of simulateRow(row, sets)) {
    count += 1;
    const truths = { kd: truth.koff / truth.kon, kon: truth.kon, koff: truth.koff };
    for (const key of QUANTITIES) {
      const quantity = found[key];
      if (quantity === null || quantity.relation === '~') continue;
      const { relation, value, ci95Low, ci95High } = quantity;
      const isHeld =
        relation === '=' ? isWithin(quantity, truths[key]) : truths[key] < value === (relation === '<');
      const into = relation === '=' ? { all: measured, held } : null;
      if (into === null) bounds.all += 1;
      else into.all[key] += 1;
      if (isHeld && into === null) bounds.held += 1;
      if (isHeld && into !== null) into.held[key] += 1;
      if (!isHeld && values.misses)
        console.log(
          JSON.stringify({ key, relation, value, ci95Low, ci95High, truth, flags: [...new Set(flags)] }),
        );
    }
    if (performance.now() > endMs) break;
  }
  const cover = QUANTITIES.map((key) => `${formatShare(held[key], measured[key])} of ${measured[key]}`);
  const share = formatShare(measured.kd, count);
  return [row.name, count, share, ...cover, `${bounds.held} of ${bounds.all}`].join(' | ');
}

function formatShare(part: number, all: number): string {
  return all === 0 ? '–' : ((100 * part) / all).toFixed(1);
}

const names = values.row?.split(',') ?? ROWS.map(({ name }) => name);
const rows = names.map((name) => {
  const row = ROWS.find((each) => each.name === name);
  if (row === undefined)
    throw new Error(`There is no row ${name}: ${ROWS.map((each) => each.name).join(', ')}.`);
  return row;
});
console.log('row | sets | `=` of KD in % | KD in % | kon in % | koff in % | bounds that hold');
for (const row of rows) console.log(reportRow(row, Number(values.sets)));
