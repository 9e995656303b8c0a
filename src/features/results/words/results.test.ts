import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatConcentration, formatPower, writeMinusSigns } from '#core/number-words.ts';
import { formatKd } from './results.ts';

test('numbers: concentrations and KD → unit, relation and two or three digits', () => {
  const shown = [1e-7, 3.1623e-8, 1e-6, 9.77e-10, 5e-11, 9.999e-7, 2e-3, 0].map(formatConcentration);
  assert.deepEqual(shown, ['100 nM', '31.6 nM', '1 µM', '0.977 nM', '50 pM', '1 µM', '2 mM', '0 nM']);
  assert.equal(formatKd({ value: 9.34e-9, relation: '=' }), 'KD = 9.3 nM');
  assert.equal(formatKd({ value: 9.3e-9, relation: '=', ci95_low: null, ci95_high: null }), 'KD = 9.3 nM');
  assert.equal(formatKd({ value: 3e-10, relation: '<' }), 'KD < 0.3 nM');
  assert.equal(formatKd({ value: 1e-5, relation: '>' }), 'KD > 10 µM');
  assert.equal(formatKd({ value: 2e-6, relation: '~' }), 'KD ≈ 2 µM');
  assert.equal(formatKd({ value: 1.253e-7, relation: '=' }), 'KD = 125 nM');
  assert.equal(formatKd({ value: 9.996e-7, relation: '=' }), 'KD = 1.0 µM');
  assert.equal(
    formatKd({ value: 9e-9, relation: '=', ci95_low: 2e-10, ci95_high: 4e-6 }),
    'KD = 9.0 nM (95% CI 0.20 nM – 4.0 µM)',
  );
  assert.equal(
    formatKd({ value: 8.9e-7, relation: '=', ci95_low: 7.86e-7, ci95_high: 1.0009e-6 }),
    'KD = 890 nM (95% CI 786 nM – 1.00 µM)',
  );
  assert.equal(
    formatKd({ value: 1.012e-8, relation: '=', ci95_low: 9.8e-9, ci95_high: 1.045e-8 }),
    'KD = 10.1 nM (95% CI 9.8–10.4)',
  );
  assert.equal(
    formatKd({ value: 1.012e-8, relation: '=', ci95_low: 8.6e-9, ci95_high: 1.19e-8 }),
    'KD = 10 nM (95% CI 9–12)',
  );
  for (const value of [null, 0, -1, Number.NaN, Infinity])
    assert.equal(formatKd({ value, relation: '=' }), undefined);
});

test('writeMinusSigns: negative numbers → a minus sign; hyphens of names, ranges and powers → as they are', () => {
  assert.equal(writeMinusSigns('-0.03 nm (-2 to -1)'), '−0.03 nm (−2 to −1)');
  assert.equal(formatPower(-2.4e-3), '−2.4×10⁻³');
  for (const text of ['design-1', 'DEMO-001-001', '1.2e-9', '10-20', 'F-350', 'A-1.2'])
    assert.equal(writeMinusSigns(text), text);
});
