import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bisect, countUpTo, locateRise, minimizeBetween, narrowRise } from './search.ts';

test('golden section: a minimum anywhere between the ends → found', () => {
  for (const minimum of [-4.9, -1, 0, 0.3, 4.9]) {
    const { x, value } = minimizeBetween((at) => (at - minimum) ** 2 + 7, { low: -5, high: 5, steps: 40 });
    assert.ok(Math.abs(x - minimum) < 1e-6 && Math.abs(value - 7) < 1e-12, `${x}`);
  }
});

test('golden section: 14 steps → a thousandth of the interval', () => {
  const { x } = minimizeBetween((at) => Math.abs(at - 1.234), { low: -5, high: 5, steps: 14 });
  assert.ok(Math.abs(x - 1.234) < 0.01);
});

test('bisection: a condition that ends above or below → the place where it ends', () => {
  const up = bisect((x) => x * x < 2, { inside: 0, outside: 2, steps: 50 });
  const down = bisect((x) => x * x < 2, { inside: 0, outside: -2, steps: 50 });
  assert.ok(Math.abs(up.inside - Math.SQRT2) < 1e-12 && Math.abs(down.outside + Math.SQRT2) < 1e-12);
  assert.ok(up.inside ** 2 < 2 && up.outside ** 2 >= 2);
});

test('narrowRise: a parabola and a function that rises faster → the place of the height, after few steps', () => {
  for (const [rise, expected] of [
    [(x: number) => 3 * x ** 2, 2],
    [(x: number) => 3 * x ** 2 * Math.exp(x - 2), 2],
  ] as const) {
    const visit = (at: number) => ({ at, rise: rise(at) });
    const found = narrowRise(visit, { inside: visit(0), outside: visit(5), needed: 12, steps: 12 });
    assert.ok(Math.abs((found.inside.at + found.outside.at) / 2 - expected) < 0.15, JSON.stringify(found));
    assert.ok(found.inside.rise < 12 && found.outside.rise >= 12);
  }
});

test('locateRise: a parabola, a steeper rise and a jump → the part that halving finds, in fewer visits', () => {
  const halvings = 9;
  for (const [rise, visitsMax] of [
    [(x: number) => 3 * x ** 2, 3],
    [(x: number) => x ** 2 * Math.exp(x), 14],
    [(x: number) => (x < 1.7 ? 0 : 1e6), 27],
    [(x: number) => (x < 4.999 ? 0 : Number.NaN), 9],
  ] as const)
    for (const needed of [0.01, 1, 12]) {
      let visits = 0;
      const visit = (at: number) => {
        visits += 1;
        return { at, rise: rise(at) };
      };
      const ends = { inside: { at: 0, rise: 0 }, outside: { at: 5, rise: rise(5) } };
      const found = locateRise(visit, { ...ends, needed, halvings });
      const halved = bisect((at) => rise(at) < needed, { inside: 0, outside: 5, steps: halvings });
      assert.ok(Math.abs(found.inside - halved.inside) < 1e-12, JSON.stringify({ found, halved }));
      assert.ok(Math.abs(found.outside - halved.outside) < 1e-12, JSON.stringify({ found, halved }));
      assert.ok(visits <= visitsMax, `${visits} visits`);
    }
});

test('countUpTo: limits below, between, on and above ascending values → how many are at most the limit', () => {
  const values = Float64Array.of(1, 2, 2, 3);
  assert.deepEqual(
    [0, 1, 1.5, 2, 3, Number.POSITIVE_INFINITY].map((limit) => countUpTo(values, limit)),
    [0, 1, 1, 3, 4, 4],
  );
  assert.equal(countUpTo(new Float64Array(0), 1), 0);
});
