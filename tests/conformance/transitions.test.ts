/** Every Tm of a melt with several transitions has its interval wherever a client reads results. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeResultsCsv } from '#assays/results-view.ts';
import { isRecord } from '#core/records.ts';
import { result as example } from '#features/results/examples.ts';
import type { ResultInfo } from '#features/results/contract.ts';
import { ColumnCollector, createReplicatesTable } from '#features/results/package/tables.ts';
import { createPackaged } from '#testing/report-tables.ts';
import { thermostabilityView } from '#assays/thermostability/view.ts';
import { renderQuantityTable } from '#features/results/pages/result.ts';
import { analyzeRun } from '../attack/analyze-run.ts';
import { WELLS_FAMILIES } from '../attack/wells/families.ts';

interface Transition {
  readonly tm: number;
  readonly tm_relation: string;
  readonly tm_interval: { readonly ci_low: number; readonly ci_high: number };
}
interface Melt {
  readonly tm: number;
  readonly tm_all: readonly number[];
  readonly transitions: readonly Transition[];
}

function analyzeThree() {
  const family = WELLS_FAMILIES.find(({ name }) => name === 'three_transitions');
  if (family === undefined) throw new TypeError('no family of three transitions');
  const { run, truth } = family.simulate(3);
  const result = analyzeRun(run).results.get(truth.sequence);
  if (result === undefined || !isRecord(result.record['quantities'])) throw new TypeError('no result');
  const { summary: rows, record } = result;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that the tables read
  const quantities = record['quantities'] as ResultInfo['quantities'];
  const shown: ResultInfo = { ...example, experiment_type: 'thermostability', rows, quantities };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what they must be is looked at below
  const row = rows[0] as unknown as Melt & { readonly replicates: readonly Melt[] };
  return { quantities, shown, row };
}

const { quantities, shown, row } = analyzeThree();

test('transitions: a melt with three → the row, each replicate and the quantities have three, in the order of tm_all', () => {
  for (const each of [row, ...row.replicates]) {
    const { tm, tm_all: all, transitions } = each;
    assert.deepEqual(
      transitions.map((transition) => Math.round(transition.tm * 1e4) / 1e4),
      all,
    );
    assert.equal(transitions.length, 3);
    assert.equal(transitions[0]?.tm, tm);
    for (const { tm: value, tm_interval: interval } of transitions)
      assert.ok(interval.ci_low < value && value < interval.ci_high);
  }
  assert.deepEqual(
    [quantities['tm'], quantities['tm_2'], quantities['tm_3']].map((each) => each?.ci95_low),
    row.transitions.map((each) => each.tm_interval.ci_low),
  );
});

test('CSV of the terminal: a melt with three transitions → each with its relation and interval', () => {
  const [head = '', line = ''] = writeResultsCsv([shown]).split(/\r?\n/u);
  const cells = new Map(head.split(',').map((name, at) => [name, line.split(',')[at]]));
  for (const [at, name] of ['tm', 'tm_2', 'tm_3'].entries()) {
    const { tm, tm_relation: relation, tm_interval: interval } = row.transitions[at] ?? {};
    assert.deepEqual(
      ['', '_relation', '_ci95_low', '_ci95_high'].map((end) => cells.get(`${name}_c${end}`)),
      [tm, relation, interval?.ci_low, interval?.ci_high].map(String),
    );
  }
});

test('replicates of the data package: three transitions → one value of each in every column of them', () => {
  const packaged = createPackaged({ rows: [{ ...row }], quantities });
  const columns = new ColumnCollector('thermostability');
  columns.take(packaged);
  assert.ok(!columns.replicate.includes('transitions'), 'records are written as text');
  const table = createReplicatesTable('EXP-1', columns);
  const [line = ''] = table.writeRow(packaged).split('\r\n');
  const at = table.header.trim().split(',').indexOf('transitions_tm_interval_ci_low');
  assert.equal(
    line.split(',')[at],
    row.replicates[0]?.transitions.map((each) => each.tm_interval.ci_low).join(' '),
  );
});

test('page of a result: three transitions → headline, replicates and quantities have each interval', () => {
  const write = ({ ci_low: low, ci_high: high }: Transition['tm_interval']) =>
    `${low.toFixed(1)}–${high.toFixed(1)}`;
  const headline = thermostabilityView.getHeadline(shown);
  assert.equal(headline?.label, 'Tm of 3 transitions');
  assert.deepEqual(
    headline.readings.map(({ interval }) => interval),
    row.transitions.map((each) => write(each.tm_interval)),
  );
  const replicates = thermostabilityView.renderReplicates(shown)?.text ?? '';
  for (const each of row.replicates.flatMap(({ transitions }) => transitions))
    assert.ok(replicates.includes(`${each.tm.toFixed(1)} (${write(each.tm_interval)})`), replicates);
  assert.match(renderQuantityTable(shown)?.text ?? '', /of the third transition/u);
});

test('page of a result: an engine that gave no later interval → only the first is read, and the temperatures stay', () => {
  const old = {
    ...row,
    transitions: undefined,
    replicates: row.replicates.map((each) => ({ ...each, transitions: undefined })),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that the page reads
  const before = { ...shown, rows: [old], quantities: { tm: quantities['tm'] } } as unknown as ResultInfo;
  const headline = thermostabilityView.getHeadline(before);
  assert.deepEqual([headline?.label, headline?.readings.length], ['Tm, first of 3 transitions', 1]);
  const named = row.replicates[0]?.tm_all.map((tm) => tm.toFixed(1)).join(', ') ?? '';
  assert.ok(thermostabilityView.renderReplicates(before)?.text.includes(`<td>${named}</td>`), named);
});
