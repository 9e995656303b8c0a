import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Design } from '../instrument/design.ts';
import { computeKdErrorLn } from './information.ts';

const design: Design = {
  technique: 'spr',
  rates: { kon: 1e5, koff: 1e-2 },
  dosesM: [2.5e-8, 5e-8, 1e-7, 2e-7, 4e-7],
  rmax: [100, 100, 100, 100, 100],
  noise: 0.5,
  correlation: 0,
  rateHz: 1,
  baselineS: 30,
  associationS: 180,
  dissociationS: 300,
  hasReferences: false,
  blanks: 1,
  pauseS: null,
};

test('information: noise is doubled → the error of KD is doubled', () => {
  const ratio = computeKdErrorLn({ ...design, noise: 1 }) / computeKdErrorLn(design);
  assert.ok(Math.abs(ratio - 2) < 1e-6, String(ratio));
});

test('information: an Rmax for each sensor and steps of wells → less is known than on one surface', () => {
  assert.ok(computeKdErrorLn({ ...design, technique: 'bli' }) > computeKdErrorLn(design));
});

test('information: doses far below KD with an Rmax for each sensor → KD is not determined', () => {
  const low = { ...design, technique: 'bli' as const, dosesM: design.dosesM.map((dose) => dose / 1000) };
  assert.ok(computeKdErrorLn(low) > 1, String(computeKdErrorLn(low)));
});
