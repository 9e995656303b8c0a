import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandomSource } from './random.ts';
import { formatFixed, RowBytes } from './recorded-files.ts';

/** Asserts that each value is written as `toFixed` writes it. */
function expectAsFixed(values: readonly number[]): void {
  for (const decimals of [0, 3, 5]) {
    const rows = new RowBytes();
    for (const value of values) {
      rows.writeFixed(value, decimals);
      rows.writeText('\n');
    }
    const expected = values.map((value) => `${formatFixed(value, decimals)}\n`).join('');
    assert.equal(new TextDecoder().decode(rows.build()), expected);
  }
}

test('row bytes: random values of every size → the digits of toFixed', () => {
  const random = createRandomSource('rows of a file', 1);
  const draw = (): number => (random.drawUniform() - 0.5) * 10 ** Math.floor(random.drawUniform() * 14 - 7);
  expectAsFixed(Array.from({ length: 20_000 }, draw));
});

test('row bytes: halves, zeros, powers of ten, integers beyond 31 bits and what is no number → the digits of toFixed', () => {
  const halves = Array.from({ length: 2_000 }, (_, index) => (index - 1_000) / 2_000 + 0.000_005);
  const edges = [0, -0, -1e-9, 0.999_999_5, 9.999_996, 1, -10, 99_999, 1e5, 2 ** 31, 1e21, Number.NaN];
  expectAsFixed([...halves, ...edges, Number.POSITIVE_INFINITY]);
});

test('row bytes: more text than the first room → all of it', () => {
  const rows = new RowBytes();
  for (let line = 0; line < 50_000; line += 1) rows.writeText('T001,baseline,');
  assert.equal(new TextDecoder().decode(rows.build()), 'T001,baseline,'.repeat(50_000));
});
