/**
 * Whether the reported 95 % intervals have their stated coverage on simulated truth, with the model chosen from the
 * data as in any analysis. `ASSAYER_CALIBRATION_SETS=2000` is the full size.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Quantity } from '#analysis/quantities/quantity.ts';
import type { BindingSettingsInput } from '../settings.ts';
import { measureCurves } from '#testing/analysis/measured-curves.ts';
import { countCalibrationSets } from '#testing/analysis/noise.ts';
import type { Noise } from '#testing/analysis/noise.ts';
import { createUniforms } from '#testing/analysis/synthetic.ts';

const SETS = countCalibrationSets(80);
const KINDS: [string, Noise, BindingSettingsInput][] = [
  ['white noise', { sd: 0.004 }, {}],
  ['first-order noise, ρ 0.6 from point to point', { sd: 0.004, rho: 0.6 }, {}],
  ['white and slowly wandering noise (ρ 0.97)', { sd: 0.004, rho: 0.97, whiteSd: 0.004 }, { model: '1:1' }],
  [
    'a drift of SD 1e-5 per s and first-order noise, drift fitted',
    { sd: 0.004, rho: 0.6, driftSd: 1e-5 },
    { drift: true },
  ],
];

for (const [name, noise, settings] of KINDS) {
  test(`intervals: ${SETS} sets with ${name} → ${settings.model === '1:1' ? '92–99 %' : 'at least 92 %'} hold the truth`, (context) => {
    // What another mechanism could do is in the interval unless the model is stated, so pure 1:1 binding is held more often.
    const most = settings.model === '1:1' ? 0.99 * SETS : SETS;
    const hits = { kd: 0, kon: 0, koff: 0 };
    let values = 0;
    for (let seed = 1; seed <= SETS; seed += 1) {
      const uniform = createUniforms(seed + 77_000);
      const kinetics = { kon: 10 ** (5 + uniform()), koff: 10 ** (-3 + uniform()) };
      const { kd, kon, koff } = measureCurves(kinetics, seed, noise, settings);
      if (kd?.relation !== '=' || kon === null || koff === null) continue;
      values += 1;
      if (isWithin(kd, kinetics.koff / kinetics.kon)) hits.kd += 1;
      if (isWithin(kon, kinetics.kon)) hits.kon += 1;
      if (isWithin(koff, kinetics.koff)) hits.koff += 1;
    }
    context.diagnostic(
      `${values} values; coverage in %: ${Object.entries(hits)
        .map(([key, count]) => `${key} ${((100 * count) / values).toFixed(1)}`)
        .join(', ')}`,
    );
    assert.ok(values > 0.95 * SETS, `${values} values`);
    for (const [key, count] of Object.entries(hits))
      assert.ok(count > 0.92 * values && count <= most, `${key}: ${count} of ${values}`);
  });
}

function isWithin({ ci95Low, ci95High }: Quantity, truth: number): boolean {
  return ci95Low !== null && ci95High !== null && ci95Low < truth && truth < ci95High;
}

test(`relations: ${SETS} well-designed sets → at least 98 % are "="`, (context) => {
  const counts: Record<string, number> = {};
  for (let seed = 1; seed <= SETS; seed += 1) {
    const uniform = createUniforms(seed + 55_000);
    // KD among the concentrations, and 26 to 95 % of the complex gone within 300 s.
    const koff = 1e-3 * 10 ** uniform();
    const kinetics = { kon: koff / (1e-8 * 10 ** uniform()), koff };
    const noise = [{ sd: 0.004 }, { sd: 0.004, rho: 0.6 }, { sd: 0.004, rho: 0.95, whiteSd: 0.002 }][
      seed % 3
    ];
    const { kd, kon } = measureCurves(kinetics, seed, noise, {});
    const found = `${kd?.relation ?? 'null'}${kon === null ? ' isotherm' : ''}`;
    counts[found] = (counts[found] ?? 0) + 1;
  }
  context.diagnostic(`"=" in ${((100 * (counts['='] ?? 0)) / SETS).toFixed(1)} %; ${JSON.stringify(counts)}`);
  assert.ok((counts['='] ?? 0) >= 0.98 * SETS, JSON.stringify(counts));
});

/** Open intervals take long to find, and most of these sets have one. */
const OUTSIDE_SETS = Math.min(SETS, 600);

test('relations: rates outside the identifiable range → never "=", and bounds hold', (context) => {
  const counts: Record<string, number> = {};
  const bounds = { all: 0, wrong: 0 };
  for (let seed = 1; seed <= OUTSIDE_SETS; seed += 1) {
    const uniform = createUniforms(seed + 99_000);
    const side = seed % 3;
    // Too slow for the window (5 % rule over 300 s), too fast for the sensor, or far above every concentration.
    const koff = side === 0 ? 1.7e-4 * 10 ** (-3 * uniform()) : 10 ** (-3 + uniform());
    const kon = side === 1 ? 1e7 * 10 ** uniform() : 10 ** (5 + uniform());
    const kinetics = side === 2 ? { kon: 10 ** (2.3 + uniform()), koff } : { kon, koff };
    const noise = { sd: 0.004, rho: seed % 2 === 0 ? 0.6 : 0 };
    const found = measureCurves(kinetics, seed, noise, {});
    const relation = found.kd?.relation ?? 'null';
    counts[`${side}${relation}`] = (counts[`${side}${relation}`] ?? 0) + 1;
    const wrong = side === 0 ? found.koff : side === 1 ? found.kon : null;
    const numbers = JSON.stringify({ kinetics, kd: found.kd, kon: found.kon, koff: found.koff });
    // An isotherm needs no rates, so it has its own range.
    const trueKdM = kinetics.koff / kinetics.kon;
    const seen = found.fitKind === 'steady_state' && trueKdM > 4e-10 && trueKdM < 4e-7;
    if (!seen) assert.notEqual(relation, '=', numbers);
    assert.notEqual(wrong?.relation, '=', numbers);
    if (found.kd !== null && (relation === '<' || relation === '>')) {
      bounds.all += 1;
      if (trueKdM < found.kd.value !== (relation === '<')) bounds.wrong += 1;
    }
  }
  assert.ok(bounds.all > OUTSIDE_SETS / 2 && bounds.wrong <= 0.025 * bounds.all, JSON.stringify(bounds));
  context.diagnostic(JSON.stringify({ counts, bounds }).replaceAll('<', 'below').replaceAll('>', 'above'));
});
