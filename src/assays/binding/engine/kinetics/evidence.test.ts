import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEmptyCurve, createNoise, computeOneToOneResponse } from '#testing/analysis/noise.ts';
import { createNormals, computeRelativeError } from '#testing/analysis/synthetic.ts';
import { computeAlternativeResponse } from './alternatives.ts';
import { chooseModel } from './evidence.ts';
import type { Choice, ModelRule } from './evidence.ts';
import { fitKinetics, LOCAL_RMAX } from './fit.ts';
import type { FitCurve } from './model.ts';
import type { LinearTerms } from './local-basis.ts';

const SERIES_M = [1e-7, 5e-8, 2.5e-8, 1.25e-8, 6.25e-9];
const AUTO: ModelRule = { model: 'auto', bivalentAnalyte: false };
const SETS = 6;

interface Shot {
  seed: number;
  driftSd?: number;
  rho?: number;
}

function createCurves(
  response: (curve: FitCurve) => Float64Array,
  { seed, driftSd = 0, rho = 0.6 }: Shot,
): FitCurve[] {
  const normal = createNormals(seed);
  return SERIES_M.map((concentrationM) => {
    const curve = createEmptyCurve({ concentrationM, points: 300 });
    const noise = createNoise(normal, { sd: 0.004, rho, driftSd });
    return { ...curve, signal: response(curve).map((value, i) => value + noise(curve.timeS[i])) };
  });
}

function choose(curves: FitCurve[], rule = AUTO, terms: LinearTerms = LOCAL_RMAX): Choice {
  return chooseModel(curves, fitKinetics(curves, terms), terms, rule);
}

function computeLogs(...values: number[]): number[] {
  return values.map(Math.log);
}

test('model choice: 1:1 binding with correlated noise → 1:1', () => {
  for (let seed = 1; seed <= 10; seed += 1) {
    const { model, candidates } = choose(
      createCurves((curve) => computeOneToOneResponse(curve, { kon: 2e5, koff: 2e-3 }), { seed }),
      { model: 'auto', bivalentAnalyte: true },
    );
    assert.equal(model, '1:1');
    assert.deepEqual(
      candidates.filter((each) => each.accepted).map((each) => each.model),
      ['1:1'],
    );
    assert.ok(candidates.every((each) => each.accepted === (each.reason === null)));
  }
});

test('model choice: drift that was not subtracted → 1:1_drift with the true KD', () => {
  for (let seed = 1; seed <= SETS; seed += 1) {
    const response = (curve: FitCurve) => computeOneToOneResponse(curve, { kon: 2e5, koff: 2e-3 });
    const { model, fit } = choose(createCurves(response, { seed, driftSd: 3e-5 }));
    assert.equal(model, '1:1_drift');
    assert.ok(computeRelativeError(fit.kdM, 1e-8) < 0.06, `${fit.kdM}`);
  }
});

test('model choice: mass transport → recognized, with the true KD where 1:1 is wrong', () => {
  const theta = computeLogs(2e6, 1e-2, 1e6);
  for (let seed = 1; seed <= SETS; seed += 1) {
    const { model, fit, candidates } = choose(
      createCurves((curve) => computeAlternativeResponse('mass_transport', curve, theta), { seed }),
    );
    assert.equal(model, 'mass_transport');
    assert.ok(computeRelativeError(fit.kdM, 5e-9) < 0.02, `${fit.kdM}`);
    assert.ok(computeRelativeError(candidates[0].kdM, 5e-9) > 0.1);
    assert.ok((candidates.find((each) => each.model === model)?.deltaBic ?? 0) < -10);
  }
});

test('model choice: two kinds of site → both parts come back; a small part → refused', () => {
  for (let seed = 1; seed <= SETS; seed += 1) {
    const of = (fraction: number): Choice => {
      const theta = [...computeLogs(2e5, 1e-3, 2e5, 2e-2), Math.log(fraction / (1 - fraction))];
      return choose(
        createCurves((curve) => computeAlternativeResponse('heterogeneous_ligand', curve, theta), { seed }),
      );
    };
    const { model, sites, fit } = of(0.65);
    assert.equal(model, 'heterogeneous_ligand');
    assert.ok(
      computeRelativeError(sites[0].kdM, 5e-9) < 0.15 && computeRelativeError(sites[1].kdM, 1e-7) < 0.4,
      JSON.stringify(sites),
    );
    assert.ok(computeRelativeError(sites[0].fraction, 0.65) < 0.1);
    assert.equal(fit.kdM, sites[0].kdM);
    assert.notEqual(of(0.95).model, 'heterogeneous_ligand');
  }
});

test('model choice: a bivalent analyte → only for targets with several sites, or on request', () => {
  const theta = computeLogs(1e5, 1e-2, 1e-2, 1e-3);
  const curves = createCurves((curve) => computeAlternativeResponse('bivalent_analyte', curve, theta), {
    seed: 3,
  });
  const allowed = choose(curves, { model: 'auto', bivalentAnalyte: true });
  assert.equal(allowed.model, 'bivalent_analyte');
  assert.ok(computeRelativeError(allowed.fit.kdM, 1e-7) < 0.2, `${allowed.fit.kdM}`);
  assert.notEqual(choose(curves).model, 'bivalent_analyte');
  assert.equal(
    choose(curves, { model: 'bivalent_analyte', bivalentAnalyte: false }).model,
    'bivalent_analyte',
  );
  assert.equal(choose(curves, { model: '1:1', bivalentAnalyte: true }).candidates.length, 1);
});

test('model choice: a bivalent analyte of a target that is not declared to have several sites → a better model, not chosen', () => {
  const theta = computeLogs(5e4, 1e-2, 3e-2, 2e-3);
  const curves = createCurves((curve) => computeAlternativeResponse('bivalent_analyte', curve, theta), {
    seed: 3,
  });
  const { model, better } = choose(curves);
  assert.notEqual(model, 'bivalent_analyte');
  assert.equal(better?.model, 'bivalent_analyte');
  assert.match(better?.reason ?? '', /not declared/);
  const plain = createCurves((curve) => computeOneToOneResponse(curve, { kon: 2e5, koff: 2e-3 }), {
    seed: 3,
  });
  assert.equal(choose(plain).better, null);
});

test('alternative models: Runge–Kutta and closed forms → agree where the models meet', () => {
  const curve = createEmptyCurve({ concentrationM: 5e-8 });
  const exact = computeOneToOneResponse(curve, { kon: 3e5, koff: 4e-3 });
  const same = (values: Float64Array): void => {
    for (const [i, value] of values.entries()) assert.ok(Math.abs(value - exact[i]) < 1e-6, `point ${i}`);
  };
  same(computeAlternativeResponse('mass_transport', curve, computeLogs(3e5, 4e-3, 1e15)));
  same(
    computeAlternativeResponse('heterogeneous_ligand', curve, [...computeLogs(3e5, 4e-3, 3e5, 4e-3), 0.3]),
  );
  same(computeAlternativeResponse('bivalent_analyte', curve, computeLogs(1.5e5, 4e-3, 1e-12, 1)));
});

test('single cycle: five injections over one surface → the true rates', () => {
  const injections = [1, 3, 9, 27, 81].map((factor, i) => {
    return { startS: 150 * i, endS: 150 * i + 100, concentrationM: factor * 1e-9 };
  });
  const curve = createEmptyCurve({
    concentrationM: 81e-9,
    associationS: 700,
    lengthS: 1500,
    points: 1500,
    injections,
  });
  const signal = computeOneToOneResponse(curve, { kon: 2e5, koff: 2e-3 }).map((value) => 0.8 * value);
  const fit = fitKinetics([{ ...curve, signal }], { ...LOCAL_RMAX, rmax: 'global' });
  assert.ok(computeRelativeError(fit.kon, 2e5) < 1e-6 && computeRelativeError(fit.koff, 2e-3) < 1e-6);
  assert.ok(computeRelativeError(fit.curves[0].rmax, 0.8) < 1e-6);
});

test('partial regeneration: complex left from the cycle before → KD is biased unless the fit starts from it', () => {
  const curves = SERIES_M.map((concentrationM, g) => {
    const curve = createEmptyCurve({ concentrationM });
    const left = 0.05 * g;
    const k = (t: number): number => (t <= 300 ? 2e5 * concentrationM + 2e-3 : 2e-3);
    const bound = computeOneToOneResponse(curve, { kon: 2e5, koff: 2e-3 });
    const remaining = (t: number): number =>
      Math.exp(-k(1) * Math.min(t, 300)) * (t > 300 ? Math.exp(-2e-3 * (t - 300)) : 1);
    const signal = bound.map((value, i) => value + left * (remaining(curve.timeS[i]) - 1));
    return { ...curve, signal, initialSignal: left };
  });
  for (const rmax of ['global', 'local'] as const) {
    const terms = { ...LOCAL_RMAX, rmax };
    assert.ok(computeRelativeError(fitKinetics(curves, terms).kdM, 1e-8) < 1e-6);
    const blind = fitKinetics(
      curves.map((curve) => ({ ...curve, initialSignal: 0 })),
      terms,
    );
    assert.ok(computeRelativeError(blind.kdM, 1e-8) > 0.05, `${blind.kdM}`);
  }
});
