import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatStrength } from './strength.ts';

const kd = { value: 27e-9, relation: '=', ci95_low: 14e-9, ci95_high: 165e-9 } as const;

test('strength class: the interval of a binder reaches into another class → both are named, the stronger first', () => {
  assert.equal(formatStrength({ outcome: 'measured', quantities: { kd } }, 'strong'), 'strong to medium');
});

test('strength class: the interval lies in one class, there is no KD, or nothing binds → the class that is stated', () => {
  const narrow = { ...kd, ci95_high: 40e-9 };
  assert.equal(formatStrength({ outcome: 'measured', quantities: { kd: narrow } }, 'strong'), 'strong');
  assert.equal(formatStrength({ outcome: 'measured', quantities: {} }, 'medium'), 'medium');
  assert.equal(formatStrength({ outcome: 'non_binder', quantities: { kd } }, 'none'), 'none');
  assert.equal(formatStrength({ outcome: 'failed_qc', quantities: {} }), 'unknown');
});
