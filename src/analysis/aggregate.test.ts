import assert from 'node:assert/strict';
import { test } from 'node:test';
import { speaksFor } from './aggregate.ts';

test('replicates passed: one that did not load says nothing beside others that did', () => {
  assert.equal(speaksFor('measured', 'measured'), true);
  assert.equal(speaksFor('measured', 'non_binder'), true);
  assert.equal(speaksFor('measured', 'not_expressed'), false);
  assert.equal(speaksFor('not_expressed', 'not_expressed'), true);
  assert.equal(speaksFor('failed_qc', 'failed_qc'), false);
});
