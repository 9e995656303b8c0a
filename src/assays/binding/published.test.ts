import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyPublishedExpression, getFitName, getModelKind, getPublishedBinding } from './published.ts';

test('published meanings: each word of the engine → a published one, or null', () => {
  for (const [model, fit, kind] of [
    ['1:1', '1:1', 'standard'],
    ['1:1_drift', '1:1', 'standard'],
    ['1:1_bulk_shift', '1:1', 'standard'],
    ['mass_transport', '1:1', 'standard'],
    ['steady_state', '1:1', 'standard'],
    ['heterogeneous_ligand', '2:1', 'standard'],
    ['bivalent_analyte', '2:1', 'bivalent_analyte'],
  ] as const)
    assert.deepEqual([getFitName(model), getModelKind(model)], [fit, kind]);
  const calls = ['binder', 'non_binder', 'inconclusive', 'unknown'] as const;
  assert.deepEqual(calls.map(getPublishedBinding), ['true', 'false', 'unknown', 'unknown']);
  const levels = ['expressed', 'low', 'none', 'unknown'] as const;
  assert.deepEqual(levels.map(classifyPublishedExpression), ['high', 'low', 'low', null]);
});
