import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPackaged } from '#testing/report-tables.ts';
import { findMeanings } from '../package/flags.ts';
import type { PackagedResult } from '../package/packaged.ts';
import { buildDoubtBlocks } from './ranking.ts';

function createDoubted(flags: readonly string[]): PackagedResult {
  const candidates = [
    { model: '1:1', delta_bic: 0, kd_m: 9.1e-9, accepted: true },
    { model: 'heterogeneous_ligand', delta_bic: -210, kd_m: 4.2e-9, accepted: false },
  ];
  return createPackaged({
    outcome: 'measured',
    qc: { pass: true, flags },
    rows: [{ replicates: [{ replicate: 1, flags }] }],
    details: { models: [{ replicate: 1, candidates }] },
  });
}

test('MODEL_IN_DOUBT: a flagged result in the report → a row for each candidate with its KD; none without the flag', () => {
  const [, table] = buildDoubtBlocks([createDoubted(['MODEL_IN_DOUBT'])]);
  assert.ok(table?.kind === 'table');
  assert.deepEqual(table.rows, [
    ['design-1', '1:1 binding (fitted)', '≈ 9.1 nM', '0'],
    ['', 'two kinds of site', '≈ 4.2 nM', '−210'],
  ]);
  assert.deepEqual(buildDoubtBlocks([createDoubted([])]), []);
});

test('meanings of flags: other limits in the settings → other limits in the words; none recorded → none named', () => {
  const explain = (settings: Readonly<Record<string, unknown>>) =>
    findMeanings(['DRIFT', 'KOFF_BELOW_LIMIT', 'LOW_Z_PRIME'], settings)
      .map(([, meaning]) => meaning)
      .join('\n');
  const limits = { drift_fraction_max: 0.08, dissociated_fraction_min: 0.03 };
  assert.match(
    explain({ limits, z_prime_min: 0.4 }),
    /more than 8 % of Rmax[^]*less than 3 % dissociated[^]*Z′ below 0\.4/,
  );
  assert.doesNotMatch(explain({}), /\d/);
});
