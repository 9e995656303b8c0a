import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildControlCharts, LIMIT_RUNS_MIN } from './chart.ts';
import type { ControlValue } from './chart.ts';

const DAY_MS = 86_400_000;

function buildValue(run: number, value: number, wish: Partial<ControlValue> = {}): ControlValue {
  return {
    runId: `run-${run}`,
    plate: 'P1',
    measuredAt: new Date(Date.UTC(2026, 0, 1) + run * DAY_MS).toISOString(),
    control: 'positive-protein',
    quantity: 'tm_c',
    scale: 'linear',
    instrument: 'Instrument 1',
    lot: 'lot 1',
    value,
    ...wish,
  };
}

/** Runs with values 9 and 11 in turn: mean 10. */
function buildRuns(count: number, wish: Partial<ControlValue> = {}): ControlValue[] {
  return Array.from({ length: count }, (_, run) => buildValue(run, run % 2 === 0 ? 9 : 11, wish));
}

const SD = Math.sqrt(20 / 19);

describe('series', () => {
  test('series: another lot, instrument, control or quantity → a chart of its own', () => {
    const others = [
      { lot: 'lot 2' },
      { instrument: 'Instrument 2' },
      { control: 'other' },
      { quantity: 'kd_m' },
    ];
    const charts = buildControlCharts([buildValue(1, 9), ...others.map((wish) => buildValue(2, 9, wish))]);
    assert.equal(charts.length, 5);
    assert.ok(charts.every(({ points }) => points.length === 1));
  });

  test('series: values in any order → stand in time order', () => {
    const [chart] = buildControlCharts(buildRuns(5).toReversed());
    assert.deepEqual(
      chart?.points.map(({ runId }) => runId),
      ['run-0', 'run-1', 'run-2', 'run-3', 'run-4'],
    );
  });
});

describe('limits', () => {
  test('limits: 19 runs → none; 20 runs → mean and SD of these alone', () => {
    const [few] = buildControlCharts(buildRuns(LIMIT_RUNS_MIN - 1));
    assert.equal(few?.limits, null);
    assert.ok(few.points.every(({ deviation, rules }) => deviation === null && rules.length === 0));
    const [chart] = buildControlCharts([...buildRuns(LIMIT_RUNS_MIN), buildValue(30, 99)]);
    assert.ok(chart?.limits);
    assert.equal(chart.limits.mean, 10);
    assert.ok(Math.abs(chart.limits.sd - SD) < 1e-12);
    assert.equal(chart.limits.nRuns, LIMIT_RUNS_MIN);
  });

  test('limits: 20 values of 10 runs → none, because runs count', () => {
    const twice = buildRuns(10).flatMap((each) => [each, { ...each, plate: 'P2' }]);
    assert.equal(buildControlCharts(twice)[0]?.limits, null);
  });

  test('limits: KD of 1 and 100 nM in turn → the center is 10 nM, and lines are factors of it', () => {
    const values = Array.from({ length: 20 }, (_, run) =>
      buildValue(run, run % 2 === 0 ? 1e-9 : 1e-7, { quantity: 'kd_m', scale: 'log10' }),
    );
    const lines = buildControlCharts(values)[0]?.limits?.lines ?? [];
    const center = lines.find(({ sds }) => sds === 0)?.value ?? 0;
    assert.ok(Math.abs(center / 1e-8 - 1) < 1e-9);
    const [lower, upper] = [-2, 2].map((each) => lines.find(({ sds }) => sds === each)?.value ?? 0);
    assert.ok(lower !== undefined && upper !== undefined);
    assert.ok(Math.abs((lower * upper) / center ** 2 - 1) < 1e-9);
  });

  test('limits: equal values → none, because no deviation can be told', () => {
    assert.equal(
      buildControlCharts(Array.from({ length: 20 }, (_, run) => buildValue(run, 0.1)))[0]?.limits,
      null,
    );
  });

  test('scale: a KD of 0 or a value that is no number → RangeError', () => {
    assert.throws(() => buildControlCharts([buildValue(1, 0, { scale: 'log10' })]), RangeError);
    assert.throws(() => buildControlCharts([buildValue(1, Number.NaN)]), RangeError);
  });
});

describe('rules on a chart', () => {
  const findRules = (values: readonly ControlValue[], runId: string) =>
    buildControlCharts([...buildRuns(20), ...buildRuns(20, { control: 'other' }), ...values])
      .flatMap(({ points }) => points)
      .filter((point) => point.runId === runId)
      .map(({ rules }) => rules);

  test('1_3s: a value after the limits → broken; the values that made the limits → break nothing', () => {
    assert.deepEqual(findRules([buildValue(30, 10 + 3.1 * SD)], 'run-30'), [['1_2s', '1_3s']]);
    const severities = [1, 2.1, 3.1].map((sds) => {
      const [chart] = buildControlCharts([...buildRuns(20), buildValue(30, 10 + sds * SD)]);
      return chart?.points.at(-1)?.severity;
    });
    assert.deepEqual(severities, [null, 'warning', 'rejection']);
    const outlier = [...buildRuns(19), buildValue(19, 60)];
    assert.ok(buildControlCharts(outlier)[0]?.points.every(({ rules }) => rules.length === 0));
  });

  test('R_4s: two controls of one run far apart → both points break it; of two runs → neither', () => {
    const high = 10 + 2.5 * SD;
    const low = 10 - 2.5 * SD;
    const together = [buildValue(30, high), buildValue(30, low, { control: 'other' })];
    assert.deepEqual(findRules(together, 'run-30'), [
      ['1_2s', 'R_4s'],
      ['1_2s', 'R_4s'],
    ]);
    const apart = [buildValue(30, high), buildValue(31, low, { control: 'other' })];
    assert.deepEqual(findRules(apart, 'run-30'), [['1_2s']]);
  });

  test('2_2s: two controls of one run on one side → both; a third on the other side → R_4s alone', () => {
    const high = 10 + 2.5 * SD;
    const plate = { plate: 'P2' };
    const values = [
      buildValue(30, high),
      buildValue(30, high, { control: 'other' }),
      buildValue(30, 10 - 2.5 * SD, { ...plate, control: 'other' }),
    ];
    assert.deepEqual(findRules(values, 'run-30'), [
      ['1_2s', '2_2s', 'R_4s'],
      ['1_2s', '2_2s', 'R_4s'],
      ['1_2s', 'R_4s'],
    ]);
  });

  test('R_4s: another instrument in the same run → is judged apart', () => {
    const elsewhere = { control: 'other', instrument: 'Instrument 2' };
    const values = [
      ...buildRuns(20, elsewhere),
      buildValue(30, 10 + 2.5 * SD),
      buildValue(30, 10 - 2.5 * SD, elsewhere),
    ];
    assert.deepEqual(findRules(values, 'run-30'), [['1_2s'], ['1_2s']]);
  });
});
