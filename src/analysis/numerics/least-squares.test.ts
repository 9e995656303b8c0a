import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minimizeSquares, type SquaresRules } from './least-squares.ts';
import { computeDot } from './matrix.ts';

const ANY = { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY, step: Number.POSITIVE_INFINITY };
const RULES = {
  iterationsMax: 500,
  damping: { start: 1e-3, min: 1e-14, max: 1e14 },
  ssrTolerance: 1e-15,
  stepTolerance: 1e-12,
  converges: 'both',
  atBounds: 'hold',
} as const;

interface Model {
  readonly computeResiduals: (parameters: readonly number[]) => number[];
  readonly start: readonly number[];
  readonly minimum: readonly number[];
  readonly ssr: number;
}

function search({ computeResiduals, start }: Model, rules: Partial<SquaresRules> = {}) {
  const derivative = (parameters: readonly number[], k: number): number[] => {
    const by = 1e-6 * Math.max(1, Math.abs(parameters[k]));
    const at = (sign: number) =>
      computeResiduals(parameters.map((value, j) => (j === k ? value + sign * by : value)));
    const [above, below] = [at(1), at(-1)];
    return above.map((value, i) => -(value - below[i]) / (2 * by));
  };
  return minimizeSquares(
    {
      evaluate: (parameters) => ({ ssr: computeResiduals(parameters).reduce((sum, r) => sum + r * r, 0) }),
      linearize: (_, parameters) => {
        const jacobian = parameters.map((__, k) => derivative(parameters, k));
        const left = computeResiduals(parameters);
        return {
          jtj: jacobian.map((a) => jacobian.map((b) => computeDot(a, b))),
          jtr: jacobian.map((a) => computeDot(a, left)),
        };
      },
    },
    start,
    { ...RULES, bounds: start.map(() => ANY), ...rules },
  );
}

/** Least-squares problems with published minima: Moré, Garbow & Hillstrom 1981, ACM TOMS 7, 17–41. */
const PUBLISHED: Readonly<Record<string, Model>> = {
  'Rosenbrock (1)': {
    computeResiduals: ([x, y]) => [10 * (y - x * x), 1 - x],
    start: [-1.2, 1],
    minimum: [1, 1],
    ssr: 0,
  },
  'Freudenstein and Roth (2)': {
    computeResiduals: ([x, y]) => [-13 + x + ((5 - y) * y - 2) * y, -29 + x + ((y + 1) * y - 14) * y],
    start: [0.5, -2],
    minimum: [11.4128, -0.896805],
    ssr: 48.9842,
  },
  'Bard (8)': {
    computeResiduals: ([a, b, c]) =>
      [0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.1, 4.39].map(
        (y, i) => {
          const [u, v] = [i + 1, 15 - i];
          return y - (a + u / (b * v + c * Math.min(u, v)));
        },
      ),
    start: [1, 1, 1],
    minimum: [0.0824106, 1.1330361, 2.3436952],
    ssr: 8.21487e-3,
  },
  'Kowalik and Osborne (15)': {
    computeResiduals: ([a, b, c, d]) => {
      const y = [0.1957, 0.1947, 0.1735, 0.16, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246];
      const u = [4, 2, 1, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625];
      return y.map((value, i) => value - (a * (u[i] * u[i] + u[i] * b)) / (u[i] * u[i] + u[i] * c + d));
    },
    start: [0.25, 0.39, 0.415, 0.39],
    minimum: [0.192807, 0.191282, 0.123057, 0.136062],
    ssr: 3.07505e-4,
  },
};

for (const [name, model] of Object.entries(PUBLISHED)) {
  test(`least squares: ${name} → the published minimum`, () => {
    const { parameters, at, converged } = search(model);
    assert.ok(converged);
    assert.ok(Math.abs(at.ssr - model.ssr) < 1e-5 * Math.max(1e-3, model.ssr), `${at.ssr}`);
    for (const [k, value] of parameters.entries())
      assert.ok(
        Math.abs(value - model.minimum[k]) < 1e-4 * Math.max(1, Math.abs(model.minimum[k])),
        `${value}`,
      );
  });
}

test('least squares: the minimum lies beyond a bound → that parameter stays at the bound, and the others reach their minimum', () => {
  const line: Model = {
    computeResiduals: ([a, b]) => [1, 2, 3, 4].map((x) => 1 + 2 * x - (a + b * x)),
    start: [0, 0],
    minimum: [],
    ssr: 0,
  };
  const bounds = [ANY, { ...ANY, max: 1.5 }];
  const { parameters, converged } = search(line, { bounds });
  assert.ok(converged);
  assert.equal(parameters[1], 1.5);
  assert.ok(Math.abs(parameters[0] - 2.25) < 1e-9, `${parameters[0]}`);
});

test('least squares: a parameter without effect → it keeps its value, and the others are found', () => {
  const idle: Model = { computeResiduals: ([a]) => [3 - a, 5 - a], start: [0, 7], minimum: [4, 7], ssr: 2 };
  assert.deepEqual(
    search(idle).parameters.map((value) => Math.round(1e9 * value) / 1e9),
    [4, 7],
  );
});

test('least squares: too few iterations → not converged', () => {
  assert.equal(search(PUBLISHED['Rosenbrock (1)'], { iterationsMax: 3 }).converged, false);
});
