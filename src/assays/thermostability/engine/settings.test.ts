import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnalysisError } from '#analysis/failures/errors.ts';
import { createMeltSet, createMeltTrace } from '#testing/analysis/melts.ts';
import { analyzeMeltingSets } from './melting.ts';
import type { MeltingSettingsInput } from './settings.ts';

function analyze(settings: MeltingSettingsInput): void {
  const transitions = [{ tmC: 62, dhKcalPerMol: 110, amplitude: 0.3 }];
  const well = createMeltTrace({ well: 'A1', transitions, slopePerC: -0.002, noiseSd: 0.003 });
  analyzeMeltingSets([createMeltSet([well])], { curves: false, ...settings });
}

test('settings_invalid: any wrong setting → refused by name', () => {
  const wrong: [object, RegExp][] = [
    [{ method: 'guess' }, /method/],
    [{ baseline: 'fixed' }, /fixedSlopes/],
    [{ fixedSlopes: { foldedPerC: 1, unfoldedPerC: 1 } }, /fixedSlopes/],
    [{ transitionsMax: 4 }, /transitionsMax/],
    [{ transitionsMax: 1.5 }, /transitionsMax/],
    [{ derivativeHalfWindowC: 9 }, /derivativeHalfWindowC/],
    [{ channel: '' }, /channel/],
    [{ curves: 'yes' }, /curves/],
    [{ assign: null }, /assign/],
    [{ speed: 1 }, /speed/],
    [{ limits: { r2Min: Number.NaN } }, /r2Min/],
    [{ limits: { speed: 1 } }, /limits\.speed/],
  ];
  for (const [settings, message] of wrong) {
    assert.throws(
      () => analyze(settings),
      (error) => {
        assert.ok(
          error instanceof AnalysisError && error.code === 'settings_invalid',
          JSON.stringify(settings),
        );
        assert.match(error.message, message);
        return true;
      },
    );
  }
});

test('nothing_to_analyze: the chosen channel is not in the set → refused', () => {
  assert.throws(
    () => analyze({ channel: '350nm' }),
    (error) => error instanceof AnalysisError && error.code === 'nothing_to_analyze',
  );
});
