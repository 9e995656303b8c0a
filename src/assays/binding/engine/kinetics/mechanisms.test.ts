/** The shapes of small parts of other mechanisms, against the same mechanisms integrated step by step. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeOneToOneResponse, createEmptyCurve } from '#testing/analysis/noise.ts';
import { fitKinetics, LOCAL_RMAX } from './fit.ts';
import type { KineticFit } from './fit.ts';
import { listMechanisms } from './mechanisms.ts';
import type { Mechanism } from './mechanisms.ts';
import type { FitCurve } from './model.ts';

const RATES = { kon: 2e5, koff: 4e-3 };
const SERIES_M = [5e-9, 1.5e-8, 5e-8, 1.5e-7];
const CURVES = SERIES_M.map((concentrationM): FitCurve => {
  const curve = createEmptyCurve({ concentrationM, points: 300 });
  return { ...curve, signal: computeOneToOneResponse(curve, RATES) };
});

function list(name: Mechanism['name'], fit: KineticFit = fitKinetics(CURVES, LOCAL_RMAX)): Mechanism[] {
  return listMechanisms(CURVES, fit).filter((each) => each.name === name);
}

function draw({ add }: Mechanism, curve: FitCurve): Float64Array {
  const out = new Float64Array(curve.timeS.length + 3);
  add(curve, out, 3);
  assert.deepEqual([...out.subarray(0, 3)], [0, 0, 0]);
  return out.subarray(3);
}

/** A + B ⇌ AB ⇌ AB* by small steps, at the times of the curve. */
function integrateTurn(curve: FitCurve, forward: number, backward: number): number[] {
  const stepS = 0.01;
  let [first, turned, at] = [0, 0, 0];
  return Array.from(curve.timeS, (until) => {
    for (; at < until - stepS / 2; at += stepS) {
      const u = at < curve.associationS - stepS / 2 ? RATES.kon * curve.concentrationM : 0;
      const turns = forward * first - backward * turned;
      const binds = u * (1 - first - turned) - RATES.koff * first;
      first += stepS * (binds - turns);
      turned += stepS * turns;
    }
    return first + turned;
  });
}

test('shapes: a complex that turns → what a slight turn changes, in proportion', () => {
  const [curve] = CURVES.slice(-1);
  const dissociationS = curve.timeS[curve.timeS.length - 1] - curve.associationS;
  for (const [k, turns] of [0.3, 2].entries()) {
    const backward = turns / dissociationS;
    const size = 1e-3;
    const [plain, moved] = [0, size].map((each) => integrateTurn(curve, each * backward, backward));
    const shape = draw(list('conformational')[k], curve);
    const largest = Math.max(...shape.map(Math.abs));
    for (let i = 0; i < plain.length; i += 1)
      assert.ok(Math.abs(shape[i] - (moved[i] - plain[i]) / size) < 0.02 * largest, `point ${i}`);
  }
});

test('shapes: slow transport → binding and dissociation both lag, and end at the same level', () => {
  const [transport] = list('mass_transport');
  const shape = draw(transport, CURVES[CURVES.length - 1]);
  const turn = CURVES[0].timeS.findIndex((t) => t > 300);
  assert.ok(shape[10] < 0 && shape[turn + 30] > 0);
  assert.ok(Math.abs(shape[turn - 1]) < 0.02 * Math.max(...shape.map(Math.abs)));
});

test('shapes: second kinds of site → weaker and stronger ones by both rates, each of at most a quarter', () => {
  const sites = list('second_site');
  assert.equal(sites.length, 18);
  for (const { sizeMax, computeTightening } of sites) {
    assert.ok(sizeMax / (1 + sizeMax) < 0.27);
    assert.equal(computeTightening(sizeMax), 0);
  }
  const ends = sites.map((site) => draw(site, CURVES[0]).at(-1) ?? 0);
  const [own] = Array.from(CURVES[0].signal).slice(-1);
  assert.ok(ends.some((end) => end < own / 3) && ends.some((end) => end > 3 * own));
});

test('sizes: transport makes the true kon larger than that of the fit → the largest size grows faster than kon', () => {
  const fit = fitKinetics(CURVES, LOCAL_RMAX);
  const findSizeMax = (kon: number): number => list('mass_transport', { ...fit, kon })[0].sizeMax;
  assert.equal(findSizeMax(1e3), 0.05);
  assert.ok(Math.abs(findSizeMax(1e5) - 0.5) < 1e-9);
  assert.ok(Math.abs(findSizeMax(2e5) - 2) < 1e-9);
  assert.equal(findSizeMax(3e5), 3);
  assert.equal(findSizeMax(1e6), 3);
});
