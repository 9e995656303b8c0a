import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveExpressionSettings } from '#assays/expression/engine/settings.ts';
import { resolveFluorescenceSettings } from '#assays/fluorescence/engine/settings.ts';
import { resolveMeltingSettings } from '#assays/thermostability/engine/settings.ts';
import { resolveSettings } from '#assays/binding/engine/settings.ts';
import { toEngineSettings, toWireSettings } from '#features/runs/raw-files/settings-names.ts';

/** Names that look like settings of either spelling. */
const NAMES = { cetuximabScFv: 1e-9, design_1: 2e-9, mab1A: 3e-9 };

const COMPLETE = {
  binding: resolveSettings({
    assign: { sensorA1: { exclude: true }, 'P1/t_2': { injectionsM: [1e-9], concentrationM: 1e-8 } },
    controlKdM: NAMES,
    ligandMassDa: NAMES,
    limits: { r2Min: 0.9 },
  }),
  melting: resolveMeltingSettings({
    assign: { wellA1: { concentrationM: 1e-6 } },
    controlTmC: NAMES,
    baseline: 'fixed',
    fixedSlopes: { foldedPerC: 0.1, unfoldedPerC: 0.2 },
  }),
  expression: resolveExpressionSettings({ controlNgPerUl: NAMES, cystines: 'all_paired' }),
  fluorescence: resolveFluorescenceSettings({ exNm: 488 }),
};

for (const [assay, settings] of Object.entries(COMPLETE)) {
  test(`settings: ${assay} → shown in wire spelling and read back unchanged, with names untouched`, () => {
    const shown = toWireSettings(settings);
    for (const key of Object.keys(shown)) assert.match(key, /^[a-z0-9_]+$/);
    assert.deepEqual(toEngineSettings(shown), settings);
  });
}

test('settings: names that look like settings → shown unchanged', () => {
  const shown = toWireSettings(COMPLETE.binding);
  assert.deepEqual(shown.control_kd_m, NAMES);
  assert.deepEqual(shown.assign, {
    sensorA1: { exclude: true },
    'P1/t_2': { injections_m: [1e-9], concentration_m: 1e-8 },
  });
});
