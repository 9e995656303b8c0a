import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatRate, formatRateInterval } from './rates.ts';

test('rates: below ten thousand, above a hundredth, limits → two digits and the power of ten, as all others', () => {
  assert.deepEqual(
    [292_528, 6_290, 52, 0.0133, 0.00997, 0].map((value) => formatRate(value)),
    ['2.9×10⁵', '6.3×10³', '5.2×10¹', '1.3×10⁻²', '1.0×10⁻²', '0'],
  );
  assert.deepEqual([formatRate(1e7, '>'), formatRate(2.5e-5, '~')], ['> 1.0×10⁷', '≈ 2.5×10⁻⁵']);
});

test('interval of a rate: narrow, within a decade, wider, without a lower end → digits that differ, one power, two, none', () => {
  assert.equal(formatRateInterval(1.21e-3, 1.17e-3, 1.22e-3), '1.17–1.22×10⁻³');
  assert.equal(formatRateInterval(2.9e5, 2.3e5, 3.8e5), '2.3–3.8×10⁵');
  assert.equal(formatRateInterval(2.5e-3, 8.1e-5, 0.0792), '8.1×10⁻⁵ – 7.9×10⁻²');
  assert.equal(formatRateInterval(2.5e-3, 0, 0.0792), undefined);
});
