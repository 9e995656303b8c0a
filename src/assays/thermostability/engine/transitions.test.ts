/** Every transition of a curve has its own interval, and replicates are matched by transitions. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createMeltSet, createMeltTrace } from '#testing/analysis/melts.ts';
import { matchTransitions } from './match-transitions.ts';
import { analyzeMeltingSets } from './melting.ts';
import type { MeltingSettingsInput } from './settings.ts';
import type { ReplicateMelting, SequenceMelting, TransitionSummary } from './types.ts';

const TMS_C = [50, 62, 74];
/** Of 40 intervals of 95 % more than this miss once in 300 times by chance. */
const MISSES_MAX = 6;
const SEEDS = Array.from({ length: 40 }, (_, k) => k + 1);

function analyzeWells(
  wells: readonly { tmsC: readonly number[]; seed: number }[],
  settings: MeltingSettingsInput = {},
): SequenceMelting {
  const traces = wells.map(({ tmsC, seed }, k) => {
    const transitions = tmsC.map((tmC) => ({ tmC, dhKcalPerMol: 130, amplitude: 0.15 }));
    const well = { well: `A${k + 1}`, sample: 'a', replicate: k + 1 };
    return createMeltTrace({ ...well, transitions, noiseSd: 0.002, offset: 0.8, seed });
  });
  return analyzeMeltingSets([createMeltSet(traces)], settings).sequences[0];
}

const isWithin = ({ tm }: TransitionSummary, truthC: number): boolean =>
  tm.ci95Low !== null && tm.ci95High !== null && tm.ci95Low <= truthC && truthC <= tm.ci95High;

describe('interval of each transition', () => {
  for (const method of ['two_state', 'derivative'] as const)
    test(`${method}: three transitions on 40 curves → each interval is narrow and misses no more often than 5 % beyond chance`, () => {
      const found = SEEDS.map((seed) => analyzeWells([{ tmsC: TMS_C, seed }], { method }).tmAll);
      for (const [k, truthC] of TMS_C.entries()) {
        const stated = found.flatMap((all) => (all[k]?.tm.relation === '=' ? [all[k]] : []));
        const misses = stated.filter((each) => !isWithin(each, truthC)).length;
        assert.ok(stated.length >= 30, `Tm${k + 1}: ${stated.length} are measured`);
        assert.ok(misses <= MISSES_MAX, `Tm${k + 1}: ${misses} miss`);
        assert.ok(
          stated.every(({ tm }) => (tm.ci95High ?? 99) - tm.value < 3),
          `Tm${k + 1} is vague`,
        );
      }
    });

  test('first transition: whatever follows → its Tm is that of the curve, and of the sequence', () => {
    for (const tmsC of [TMS_C, TMS_C.slice(0, 2), TMS_C.slice(0, 1)]) {
      const { tm, tmAll, replicates } = analyzeWells([{ tmsC, seed: 1 }]);
      assert.equal(tmAll.length, tmsC.length);
      assert.deepEqual([tmAll[0].tm, replicates[0].tmAll[0].tm], [tm, replicates[0].tm]);
    }
  });

  test('melt_incomplete: transitions that overlap → each of them is an estimate that says so', () => {
    const { tmAll } = analyzeWells([{ tmsC: [60, 65], seed: 1 }]);
    assert.deepEqual(
      tmAll.map(({ tm, doubt }) => [tm.relation, doubt]),
      tmAll.map(() => ['~', 'melt_incomplete']),
    );
  });
});

describe('transitions of replicates', () => {
  test('replicates: all show the same transitions → every transition is measured by all of them, with a narrower interval than one has', () => {
    const wells = [1, 2, 3].map((seed) => ({ tmsC: TMS_C, seed }));
    const { tmAll, replicates } = analyzeWells(wells);
    for (const [k, { tm, doubt }] of tmAll.entries()) {
      assert.deepEqual([tm.relation, tm.n, doubt], ['=', 3, null]);
      assert.ok(isWithin(tmAll[k], TMS_C[k]), `Tm${k + 1}`);
      assert.equal(replicates[0].tmAll[k].tm.n, 1);
    }
  });

  test('transition_not_in_all: one of two replicates lacks the first → the others still match, and the first is an estimate', () => {
    const { tm, tmAll } = analyzeWells([
      { tmsC: TMS_C, seed: 1 },
      { tmsC: TMS_C.slice(1), seed: 2 },
    ]);
    assert.deepEqual(
      tmAll.map(({ tm: { n, relation }, doubt }) => [n, relation, doubt]),
      [
        [1, '~', 'transition_not_in_all'],
        [2, '=', null],
        [2, '=', null],
      ],
    );
    assert.ok(Math.abs((tm?.value ?? 0) - 50) < 0.5, `${tm?.value}`);
  });

  test('transition_not_in_all: one of three replicates shows a second → it is not of the sequence', () => {
    const { tmAll, replicates } = analyzeWells([
      { tmsC: [50, 74], seed: 1 },
      { tmsC: [50], seed: 2 },
      { tmsC: [50], seed: 3 },
    ]);
    assert.deepEqual([tmAll.length, tmAll[0].tm.n, replicates[0].tmAll.length], [1, 3, 2]);
  });

  test('peak_undetermined: a peak without an error → no interval, and why', () => {
    const [well] = analyzeWells([{ tmsC: [50], seed: 1 }], { method: 'derivative' }).replicates;
    const [first] = well.tmAll;
    const unknown: TransitionSummary = {
      ...first,
      seTmC: null,
      tm: { ...first.tm, ci95Low: null, ci95High: null },
      doubt: 'peak_undetermined',
    };
    const alone: ReplicateMelting = { ...well, tmAll: [unknown] };
    const [{ tm, doubt }] = matchTransitions([alone]);
    assert.deepEqual([tm.ci95Low, tm.ci95High, doubt], [null, null, 'peak_undetermined']);
  });
});
