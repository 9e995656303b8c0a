import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeConcentrationA280, computeExtinction280, computeMassDa } from './protein.ts';

/** Mature hen egg-white lysozyme, UniProt P00698: 14,313 Da reduced, 6 W, 3 Y, 4 cystines. */
const LYSOZYME =
  'KVFGRCELAAAMKRHGLDNYRGYSLGNWVCAAKFESNFNTQATNRNTDGSTDYGILQINSRWWCNDGRTPGSRNLCNIPCSALLSSDITASVNCAKKIVSDGNGMNAWVAWRNRCKGTDVQAWIRGCRL';

test('extinction: lysozyme → the published mass and absorption (Pace 1995: 37,970 per M and cm)', () => {
  assert.ok(Math.abs((computeMassDa(LYSOZYME) ?? 0) - 14_313) < 1);
  assert.equal(computeExtinction280(LYSOZYME, 4), 37_970);
  // 1 mg/mL absorbs 2.65 per cm.
  assert.ok(
    Math.abs((computeConcentrationA280(2.653, { sequence: LYSOZYME, cystines: 4 }) ?? 0) - 1_000) < 1,
  );
});

test('mass: a protein of two chains → one water for each chain', () => {
  const two = (computeMassDa('GG:GG') ?? 0) - 2 * (computeMassDa('GG') ?? 0);
  assert.ok(Math.abs(two) < 1e-9);
});

test('A280: no W and Y, or letters that are no amino acids → no concentration', () => {
  assert.equal(computeConcentrationA280(0.5, { sequence: 'GGGSGGGS' }), null);
  assert.equal(computeConcentrationA280(0.5, { sequence: 'WX' }), null);
  assert.equal(computeMassDa(''), null);
  assert.equal(computeMassDa('GX'), null);
});

test('A280: half the path length → twice the concentration', () => {
  const [whole, half] = [1, 0.5].map(
    (pathCm) => computeConcentrationA280(0.4, { sequence: LYSOZYME, pathCm }) ?? 0,
  );
  assert.ok(Math.abs(half / whole - 2) < 1e-12);
});
