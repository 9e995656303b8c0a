/** Runs of two kinds of site that slow transport explains about as well, and runs of slow transport. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getFamily } from './families/registry.ts';
import { examineRun } from './judge/verdict.ts';

/** KD of the sites is up to three times that of the model with transport. */
const UNCLEAR = [601964, 600957, 600172, 600731];
/** The evidence for transport over two kinds of site is 13 and more. */
const CLEAR = [700017, 700176];

function readKd(family: string, seed: number): { relation: string | null; isInDoubt: boolean } {
  const [verdict] = examineRun(getFamily(family), seed);
  assert.ok(verdict?.reading, `${family}:${seed} has no result`);
  return {
    relation: verdict.reading.relation,
    isInDoubt: verdict.reading.flags.includes('MODEL_IN_DOUBT'),
  };
}

test('model_in_doubt: two kinds of site explain the curves as well as transport and give another KD → an estimate', () => {
  for (const seed of UNCLEAR)
    assert.deepEqual(readKd('two_sites', seed), { relation: '~', isInDoubt: true }, String(seed));
});

test('model_in_doubt: the evidence for transport over two kinds of site is very strong → measured', () => {
  for (const seed of CLEAR)
    assert.deepEqual(readKd('mass_transport', seed), { relation: '=', isInDoubt: false }, String(seed));
});
