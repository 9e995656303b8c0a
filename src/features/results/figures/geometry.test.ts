/** Every kind of figure for results that are hard to draw, measured with the letters of a real font. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { LONG_NAME } from '#testing/hard-binding.ts';
import { drawHardFigures } from '#testing/hard-figures.ts';
import { findCrowding, measureText, readSize } from '#testing/svg-boxes.ts';
import { computeTextWidth } from '#documents/figures/width.ts';
import { SMALLEST, WIDTH_MAX } from '#documents/figures/panel.ts';

const figures = drawHardFigures();
/** A directory for the figures, so that people can inspect them. */
const { PLOTS } = process.env;
if (PLOTS !== undefined) {
  mkdirSync(PLOTS, { recursive: true });
  for (const { name, svg } of figures) writeFileSync(`${PLOTS}/${name.replaceAll(/[^\w-]+/g, '-')}.svg`, svg);
}

test('figures: any figure of difficult results → no text overlaps, leaves the figure or is too small', () => {
  assert.ok(figures.length > 80, `only ${figures.length} figures`);
  for (const { name, svg } of figures) {
    assert.doesNotMatch(svg, /NaN|Infinity|undefined|null/, name);
    assert.deepEqual(findCrowding(svg, { edge: 4, smallest: SMALLEST }), [], name);
  }
});

test('minus: any text of any figure → no hyphen stands for the sign of a number', () => {
  const hyphen = /(?:^|[\s(=<>≈~])-\d/;
  assert.match('z = -3', hyphen);
  for (const { name, svg } of figures)
    for (const [, text = ''] of svg.matchAll(/>([^<>]+)</g)) assert.doesNotMatch(text, hyphen, name);
});

test('figures: printed 180 mm wide → no letters below 6.5 points', () => {
  const points = (180 / 25.4) * 72;
  assert.ok((SMALLEST * points) / WIDTH_MAX >= 6.5);
  for (const { name, svg } of figures) assert.ok(readSize(svg).width <= WIDTH_MAX, name);
});

test('text width: any text → at least that of the widest font', () => {
  const samples = [
    LONG_NAME,
    'W'.repeat(30),
    'KD ≈ 2 µM (95% CI 0.2–20) ±3 °C',
    'Ωμέγα Ёлка Щи',
    'ÀÉØß',
    '−3.1×10⁻⁵ χ² Z′ ⁰¹²³⁴⁵⁶⁷⁸⁹',
    '~!@#$%^&*()_+{}|',
  ];
  for (const sample of samples)
    for (const weight of [400, 650])
      assert.ok(
        computeTextWidth(sample, 1, weight) >= measureText(sample, weight) - 0.02 * sample.length * 0.3,
        sample,
      );
});

test('figures: the same results twice → the same bytes', () => {
  assert.deepEqual(drawHardFigures(), figures);
});
