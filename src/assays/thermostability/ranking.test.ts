import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RankedResult } from '#features/results/ranked.ts';
import { writeSvg } from '#documents/svg.ts';
import { thermostability } from './shown.ts';
import { drawRanking, drawRankingPages } from '#features/results/figures/ranking.ts';

function createMelting(name: string, tm: number, half: number): RankedResult {
  return {
    sequence_name: name,
    is_control: false,
    outcome: 'measured',
    place: 1,
    quantities: {
      tm: { value: tm, unit: '°C', relation: '=', n: 3, ci95_low: tm - half, ci95_high: tm + half },
    },
    summary: { replicates: [] },
  };
}

/** Returns the numbers under the axis: those with nothing beside them. */
function readTicks(results: readonly RankedResult[]): number[] {
  const shown = { code: 'DEMO-001-001', experiment_type: 'thermostability', results, total: results.length };
  const svg = writeSvg(drawRanking(shown, thermostability.measure));
  const found = [...svg.matchAll(/text-anchor="middle"[^>]*>(\d+(?:\.\d+)?)</g)];
  return found.map(([, number]) => Number(number));
}

test('ranking: one wide interval → it goes beyond the axis, and the others stay apart', () => {
  const usual = [createMelting('a', 70, 1), createMelting('b', 65, 1), createMelting('c', 60, 1)];
  const ticks = readTicks([...usual, createMelting('d', 62, 4000)]);
  assert.ok(ticks.length > 1);
  assert.ok(Math.max(...ticks) <= 90 && Math.min(...ticks) >= 40, ticks.join(' '));
});

test('ranking: the interval of a single value → shown whole', () => {
  const ticks = readTicks([createMelting('a', 70, 3)]);
  assert.ok(Math.max(...ticks) - Math.min(...ticks) >= 5, ticks.join(' '));
});

test('ranking: 57 results with a value and 39 without → pages of equal length, and one figure, with values only', () => {
  const lost = (index: number): RankedResult => ({
    ...createMelting(`lost-${index}`, 0, 0),
    outcome: 'failed_qc',
    place: null,
    quantities: {},
  });
  const results = [
    ...Array.from({ length: 57 }, (_, index) => createMelting(`design-${index}`, 90 - index / 2, 1)),
    ...Array.from({ length: 39 }, (_, index) => lost(index)),
  ];
  const experiment = { code: 'DEMO-001-001', experiment_type: 'thermostability', results, total: 96 };
  const pages = drawRankingPages(experiment, thermostability.measure, 44).map(writeSvg);
  const rowsOn = (svg: string) => svg.match(/design-\d+</g)?.length ?? 0;
  assert.deepEqual(pages.map(rowsOn), [29, 28]);
  assert.match(pages[0] ?? '', /1 to 29 of 96 sequences/);
  for (const page of pages) {
    assert.match(page.replaceAll(/<[^>]+>\s*/g, ' ').replaceAll(/\s+/g, ' '), /39 sequences without a value/);
    assert.doesNotMatch(page, /lost-/);
  }
  const whole = writeSvg(drawRanking(experiment, thermostability.measure));
  assert.equal(rowsOn(whole), 57);
  assert.doesNotMatch(whole, /lost-/);
  const none = drawRankingPages(
    { ...experiment, results: results.slice(57, 90), total: 33 },
    thermostability.measure,
    20,
  );
  assert.equal(none.length, 2, 'without any value all are there');
});

test('ranking: a melting curve without a transition → said so; a measured result without a value → said so', () => {
  const draw = (summary: RankedResult['summary']): string => {
    const results = [{ ...createMelting('flat', 0, 0), quantities: {}, summary }];
    return writeSvg(
      drawRanking(
        { code: 'DEMO-001-001', experiment_type: 'thermostability', results, total: 1 },
        thermostability.measure,
      ),
    );
  };
  assert.match(draw({ tm: null, no_transition_reason: 'amplitude_below_noise' }), />no transition</);
  assert.match(draw({ tm: null }), />no value determined</);
});
