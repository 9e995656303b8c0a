/** Falling curves: intrinsic fluorescence has a Tm, a dye has none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasFlag } from '#analysis/quality/flags.ts';
import { createMeltSet, createMeltTrace } from '#testing/analysis/melts.ts';
import type { MeltTruth, MeltWell } from '#testing/analysis/melts.ts';
import { analyzeMeltingSets } from './melting.ts';
import type { MeltingSettingsInput } from './settings.ts';

const NOISE = 0.003;

function run(well: Omit<MeltWell, 'well'>, settings: MeltingSettingsInput = {}) {
  return analyzeMeltingSets([createMeltSet([createMeltTrace({ well: 'A1', ...well })])], settings);
}

const FALL: MeltTruth = {
  transitions: [{ tmC: 58, dhKcalPerMol: 120, amplitude: -0.5 }],
  noiseSd: NOISE,
  slopePerC: -0.001,
};

for (const method of ['auto', 'boltzmann', 'derivative'] as const)
  test(`dye_falls: ${method}, a dye curve whose only step falls → no Tm, with that reason`, () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const { analysis, sequences } = run({ channel: 'dye', ...FALL, seed }, { method });
      assert.equal(analysis.model, method === 'auto' ? 'boltzmann' : method);
      const [{ outcome, tm, noTransition, flags }] = sequences;
      assert.deepEqual([outcome, tm, noTransition?.reason], ['measured', null, 'dye_falls'], `seed ${seed}`);
      assert.match(noTransition?.message ?? '', /set the method two_state/);
      assert.ok(hasFlag(flags, 'NO_TRANSITION'));
    }
  });

test('dye_falls: a dye curve that drifts down, or rises before it falls → another reason, or a Tm', () => {
  const drift = run({ transitions: [], slopePerC: -0.01, noiseSd: NOISE, channel: 'dye' }).sequences[0];
  assert.equal(drift.tm, null);
  assert.notEqual(drift.noTransition?.reason, 'dye_falls');
  const rise = { ...FALL, transitions: [{ tmC: 48, dhKcalPerMol: 130, amplitude: 1 }], dyeFallPerC: 0.04 };
  const both = run({ ...rise, channel: 'dye' }).sequences[0];
  assert.ok(Math.abs((both.tm?.value ?? 0) - 48) < 1, JSON.stringify(both.noTransition));
});

for (const channel of ['ratio', '330nm', '350nm'])
  for (const method of ['auto', 'two_state', 'derivative', 'boltzmann'] as const)
    test(`falling fluorescence: ${channel} by ${method} → a Tm as for a rising curve`, () => {
      const found = run({ channel, ...FALL }, { method, transitionsMax: 1 });
      const [{ tm, tmAll, replicates }] = found.sequences;
      assert.ok(Math.abs((tm?.value ?? 0) - 58) < 0.6, `${tm?.value}`);
      assert.ok(tmAll[0].height < 0);
      const { curve, initialSignal, inflectionPoints } = replicates[0];
      assert.ok(
        (initialSignal ?? 0) > 0.9 && (curve?.signal[0] ?? 0) > 0.9,
        'the curve is as it was measured',
      );
      assert.ok(Math.min(...(curve?.derivative ?? [])) < -0.02);
      assert.ok(inflectionPoints.every(({ height }) => height < 0));
      const off = curve?.residual?.map((value) => Math.abs(value ?? 0)) ?? [];
      assert.ok(Math.max(0, ...off) < 0.05, 'the fit lies on it');
    });

test('two_state: a falling table without channel names → a Tm when the settings choose two_state', () => {
  const [{ tm }] = run({ ...FALL, channel: 'dye' }, { method: 'two_state' }).sequences;
  assert.ok(Math.abs((tm?.value ?? 0) - 58) < 0.3, `${tm?.value}`);
});
