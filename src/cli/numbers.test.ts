import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatDuration, formatMolar, formatMolarInterval, formatRate, threeDigits } from './numbers.ts';

describe('molar values', () => {
  it('formatMolar: any molar value → the unit with the most readable number', () => {
    const shown: readonly (readonly [number, string])[] = [
      [5.23e-13, '0.52 pM'],
      [5.226e-10, '523 pM'],
      [9.994e-10, '999 pM'],
      [9.996e-10, '1.00 nM'],
      [6.956e-9, '6.96 nM'],
      [3.819e-8, '38.2 nM'],
      [2.822e-7, '282 nM'],
      [9.996e-7, '1.00 µM'],
      [1.234e-6, '1.23 µM'],
      [2e-3, '2.00 mM'],
      [1.5, '1.50 M'],
    ];
    for (const [molar, text] of shown) assert.equal(formatMolar(molar), text);
  });

  it('formatMolar: a limit or an estimate → its sign; a measurement → none', () => {
    assert.equal(formatMolar(2e-6, '>'), '> 2.00 µM');
    assert.equal(formatMolar(3.2e-10, '<'), '< 320 pM');
    assert.equal(formatMolar(2e-6, '~'), '~ 2.00 µM');
    assert.equal(formatMolar(2e-6, '='), '2.00 µM');
  });

  it('formatMolarInterval: an interval → the unit of its value', () => {
    const quantity = { value: 9.4e-7, relation: '=', ci95_low: 9.9e-8, ci95_high: 2.2214e-6 };
    assert.equal(formatMolarInterval(quantity), '99.0–2221 nM');
    assert.equal(formatMolarInterval({ ...quantity, value: 2.08e-6, ci95_low: 9.96e-7 }), '1.00–2.22 µM');
  });

  it('formatMolarInterval: an end is missing → empty', () => {
    assert.equal(formatMolarInterval({ value: 1e-9, relation: '<', ci95_low: null, ci95_high: 1e-9 }), '');
    assert.equal(formatMolarInterval({ value: null, relation: '=', ci95_low: 1, ci95_high: 1 }), '');
  });
});

describe('other numbers', () => {
  it('formatRate: a rate → scientific notation', () => {
    assert.equal(formatRate(293_097.1), '2.93e5');
    assert.equal(formatRate(0.011_194), '1.12e-2');
    assert.equal(formatRate(1.6e-4, '<'), '< 1.60e-4');
  });

  it('threeDigits: any number → three significant digits without false precision', () => {
    assert.deepEqual([0, 0.0098, 0.000_01, 0.034, -0.225, 9.996, 306.7, 250_000].map(threeDigits), [
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
