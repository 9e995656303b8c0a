import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeOtherKd } from './other-kd.ts';

test('KD of another fit: rates within the search → its KD; a rate at the edge of the search → no KD is stated', () => {
  assert.equal(describeOtherKd({ kon: 1e5, koff: 1e-3, kdM: 1e-8 }), 'KD would be 10 nM');
  assert.equal(describeOtherKd({ kon: 1e9, koff: 1e-3, kdM: 1e-12 }), 'the curves would determine no KD');
  assert.equal(describeOtherKd({ kon: 1e5, koff: 1e-8, kdM: 1e-13 }), 'the curves would determine no KD');
});
