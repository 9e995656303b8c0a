import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatDuration, formatRate, formatThreeDigits } from './numbers.ts';

describe('numbers', () => {
  it('formatRate: a rate → scientific notation; an estimate or a limit → its sign; no value → empty', () => {
    assert.equal(formatRate({ value: 293_097.1, relation: '=' }), '2.93e5');
    assert.equal(formatRate({ value: 0.011_194, relation: '~' }), '≈ 1.12e-2');
    assert.equal(formatRate({ value: 1.6e-4, relation: '<' }), '< 1.60e-4');
    assert.equal(formatRate({ value: null, relation: '=' }), '');
  });

  it('threeDigits: any number → three significant digits without false precision', () => {
    assert.deepEqual([0, 0.0098, 0.000_01, 0.034, -0.225, 9.996, 306.7, 250_000].map(formatThreeDigits), [
      '0',
      '0.0098',
      '1.0e-5',
      '0.034',
      '-0.23',
      '10.0',
      '307',
      '2.5e5',
    ]);
  });

  it('formatDuration: milliseconds → minutes and seconds', () => {
    assert.deepEqual([0, 7_900, 751_000].map(formatDuration), ['0:00', '0:07', '12:31']);
  });
});
