/** Colors, grays and digits: the appearance of the figures in both looks and in print. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawHardFigures } from '#testing/hard-figures.ts';
import { getColor, getSeriesColor } from '#documents/colors.ts';
import { formatKd } from '../words/results.ts';
import { HEAT_SHADES, getInk } from '#documents/figures/heat-map.ts';
import { getShape } from '#documents/figures/markers.ts';
import { formatQuantity } from '../words/quantities.ts';

/** Relative luminance, WCAG 2.2. */
function computeLuminance(hex: string): number {
  const linear = [1, 3, 5].map((start) => {
    const value = Number.parseInt(hex.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (linear[0] ?? 0) + 0.7152 * (linear[1] ?? 0) + 0.0722 * (linear[2] ?? 0);
}

function computeContrast(one: string, other: string): number {
  const [a, b] = [computeLuminance(one), computeLuminance(other)].toSorted((x, y) => y - x);
  return ((a ?? 0) + 0.05) / ((b ?? 0) + 0.05);
}

/** L* of CIELAB: the part of a color that remains in grayscale print and with color blindness. */
function computeLightness(hex: string): number {
  const y = computeLuminance(hex);
  return y > 0.008856 ? 116 * Math.cbrt(y) - 16 : 903.3 * y;
}

const looks = ['light', 'dark'] as const;

test('contrast: traces and words in both themes → at least 3:1 and 4.5:1', () => {
  const paper = getColor('paper');
  for (const look of looks) {
    for (let index = 0; index < 12; index += 1) {
      const { [look]: color } = getSeriesColor(index, 12);
      assert.ok(computeContrast(color, paper[look]) >= 3, `${look} ${index}`);
      assert.ok(computeContrast(color, getColor('fit')[look]) >= 1.8, `the fit shows on ${look} ${index}`);
    }
    for (const word of ['ink', 'muted', 'warning'] as const)
      assert.ok(computeContrast(getColor(word)[look], paper[look]) >= 4.5, word);
  }
  assert.equal(new Set(Array.from({ length: 12 }, (_, index) => getSeriesColor(index, 12).light)).size, 12);
});

test('grayscale: concentrations → distinct lightness while there are few, and distinct marks always', () => {
  for (const look of looks) {
    for (const count of [2, 3, 4, 5]) {
      const steps = Array.from({ length: count }, (_, index) =>
        computeLightness(getSeriesColor(index, count)[look]),
      );
      for (const [index, step] of steps.entries())
        if (index > 0) assert.ok(step - (steps[index - 1] ?? 0) >= 3.5, `${look} ${index} of ${count}`);
    }
  }
  for (let index = 0; index < 30; index += 1)
    assert.equal(new Set([0, 1, 2, 3].map((next) => getShape(index + next))).size, 4);
  const twelve = drawHardFigures().find(({ name }) => name === 'affinity twelve concentrations');
  const marks = [...(twelve?.svg ?? '').matchAll(/class="f-c\d+ s-paper"/g)].length;
  assert.equal(marks, 3 * 12, 'each trace of two replicates has a mark, and the key shows it');
});

test('heat map: shades in both themes → lightness goes one way, and letters on them are readable', () => {
  for (const look of looks) {
    const way = look === 'light' ? -1 : 1;
    for (const [index, shade] of HEAT_SHADES.entries()) {
      const before = HEAT_SHADES[index - 1];
      if (before !== undefined)
        assert.ok(
          way * (computeLightness(shade[look]) - computeLightness(before[look])) > 1,
          `${look} ${index}`,
        );
      const { [look]: ink } = getInk(index);
      assert.ok(computeContrast(ink, shade[look]) >= 4.2, `${look} ${index}`);
    }
  }
});

test('digits: a value with its interval → the interval decides how many are shown', () => {
  const formatShown = (value: number, low: number, high: number, unit: string) =>
    formatQuantity({ value, relation: '=', unit, ci95_low: low, ci95_high: high });
  assert.equal(formatShown(43_752, 41_163, 46_340, 'RFU'), '43800 RFU (95% CI 41200–46300)');
  assert.equal(formatShown(62.2, 40.9, 94.6, 'ng/µL'), '62 ng/µL (95% CI 41–95)');
  assert.equal(formatShown(0.62, 0.4, 0.95, 'ng/µL'), '0.62 ng/µL (95% CI 0.40–0.95)');
  assert.equal(
    formatKd({ value: 3.79e-8, relation: '=', ci95_low: 3.76e-8, ci95_high: 3.81e-8 }),
    'KD = 37.9 nM (95% CI 37.6–38.1)',
  );
  assert.equal(
    formatKd({ value: 9.63e-7, relation: '=', ci95_low: 4.3e-7, ci95_high: 2.16e-6 }),
    'KD = 963 nM (95% CI 430 nM – 2.16 µM)',
  );
});
