import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RankedResult } from './measures.ts';
import { rankingSvg } from './ranking.ts';

function melting(name: string, tm: number, half: number): RankedResult {
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

/** Numbers under the axis: those beside nothing else. */
function ticksOf(results: readonly RankedResult[]): number[] {
  const svg = rankingSvg({
    code: 'DEMO-001-001',
    experiment_type: 'thermostability',
    results,
    total: results.length,
  });
  const found = [...svg.matchAll(/text-anchor="middle"[^>]*>(\d+(?:\.\d+)?)</g)];
  return found.map(([, number]) => Number(number));
}

test('ranking: one wide interval goes on beyond the axis, the others stay apart', () => {
  const usual = [melting('a', 70, 1), melting('b', 65, 1), melting('c', 60, 1)];
  const ticks = ticksOf([...usual, melting('d', 62, 4000)]);
  assert.ok(ticks.length > 1);
  assert.ok(Math.max(...ticks) <= 90 && Math.min(...ticks) >= 40, ticks.join(' '));
});

test('ranking: the interval of a single value is shown whole', () => {
  const ticks = ticksOf([melting('a', 70, 3)]);
  assert.ok(Math.max(...ticks) - Math.min(...ticks) >= 5, ticks.join(' '));
});
