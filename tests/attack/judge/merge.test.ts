import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeSlices, type AttackSlice } from './merge.ts';
import { reportFamily } from './rates.ts';
import type { Verdict } from './verdict.ts';

function createVerdict(seed: number, kdM: number): Verdict {
  return {
    seed,
    sequence: 'a',
    truth: { kind: 'binder', kdM: 1e-8, isFirm: true, isDetectable: true },
    reading: {
      outcome: 'measured',
      call: null,
      kdM,
      relation: '=',
      lowM: kdM / 1.2,
      highM: kdM * 1.2,
      detectableM: null,
      flags: [],
    },
    refusal: null,
    ms: 1,
  };
}

const createSlice = (verdicts: AttackSlice['verdicts'], engine = '1.12.0'): AttackSlice => ({
  engine,
  verdicts,
});

test('attack, slices: two of one family and another → all runs by seed, counted together', () => {
  const merged = mergeSlices([
    createSlice({ clean_spr: [createVerdict(3, 1e-8)], jumps: [createVerdict(1, 1e-8)] }),
    createSlice({ clean_spr: [createVerdict(1, 3e-8), createVerdict(2, 1e-8)] }),
  ]);
  assert.deepEqual(
    [...merged].map(([family, verdicts]) => [family, verdicts.map(({ seed }) => seed)]),
    [
      ['clean_spr', [1, 2, 3]],
      ['jumps', [1]],
    ],
  );
  const { runs, rates } = reportFamily(
    { name: 'clean_spr', demand: 'clean_spr' },
    merged.get('clean_spr') ?? [],
  );
  const missed = rates.find(({ name }) => name === 'exact_missed');
  assert.deepEqual([runs, missed?.count, missed?.trials, missed?.seeds], [3, 1, 3, [1]]);
});

test('attack, slices: several sequences of one run in one slice → all of them', () => {
  const verdicts = [createVerdict(1, 1e-8), { ...createVerdict(1, 2e-8), sequence: 'b' }];
  assert.equal(mergeSlices([createSlice({ screening_plain: verdicts })]).get('screening_plain')?.length, 2);
});

test('attack, slices: the same run in two → refused by its name', () => {
  const slice = createSlice({ jumps: [createVerdict(7, 1e-8)] });
  assert.throws(() => mergeSlices([slice, slice]), /the run jumps:7/);
});

test('attack, slices: two engines → refused by their versions', () => {
  const slices = ['1.11.0', '1.12.0'].map((engine, seed) =>
    createSlice({ jumps: [createVerdict(seed, 1e-8)] }, engine),
  );
  assert.throws(() => mergeSlices(slices), /engines 1\.11\.0 and 1\.12\.0/);
});
