/** A wrong model that fits the curves: KD is an estimate, and the result says so. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SequenceAffinity } from '../../affinity/engine/types.ts';
import { analyzeAffinity } from '#testing/analysis/analyze.ts';
import { hasFlag } from '#analysis/quality/flags.ts';
import type { BindingSettingsInput } from './settings.ts';
import { computeAlternativeResponse } from './kinetics/alternatives.ts';
import { computeOneToOneResponse } from '#testing/analysis/noise.ts';
import { createShapedFile } from '#testing/analysis/shaped-plate.ts';
import { computeRelativeError } from '#testing/analysis/synthetic.ts';

const DOSES_M = [3e-7, 1e-7, 3e-8, 1e-8, 3e-9];
const MAIN = { kon: 1e5, koff: 3e-3 };
const KD_M = 3e-8;
const SEEDS = [1, 2, 3];
const DRIFT = { drift: true };

/** A fraction of the sites never dissociates; every sensor drifts by `driftPerS`. */
function withResidue(
  part: number,
  seed: number,
  { settings = DRIFT, driftPerS = 0 }: { settings?: BindingSettingsInput; driftPerS?: number } = {},
): SequenceAffinity {
  const response: Parameters<typeof createShapedFile>[0]['computeResponse'] = (curve) => {
    const main = computeOneToOneResponse(curve, MAIN);
    const kept = computeOneToOneResponse(curve, { ...MAIN, koff: 1e-7 });
    return main.map((value, i) => (1 - part) * value + part * kept[i] + driftPerS * curve.timeS[i]);
  };
  const plate = createShapedFile({
    concentrationsM: DOSES_M,
    computeResponse: response,
    noiseSd: 0.002,
    seed,
    dissociationS: 600,
  });
  return analyzeAffinity([plate], { curves: false, ...settings }).sequences[0];
}

function findMisfitSeverity({ flags }: SequenceAffinity): string | undefined {
  return flags.find(({ code }) => code === 'MODEL_IN_DOUBT')?.severity;
}

describe('sites without dissociation', () => {
  for (const part of [0.2, 0.35, 0.5]) {
    test(`misfit: ${100 * part} % of sites never let go → an estimate with a warning, and no other mechanism`, () => {
      for (const seed of SEEDS) {
        for (const settings of [{}, DRIFT]) {
          const found = withResidue(part, seed, { settings });
          const [{ fit, confidence }] = found.replicates;
          // A free slope and fitted times leave other mechanisms possible; the default holds the slope.
          if (settings === DRIFT && hasFlag(found.flags, 'MASS_TRANSPORT')) continue;
          // Both kinds of site were found.
          if (fit?.model === 'heterogeneous_ligand' && computeRelativeError(found.kd?.value, KD_M) < 0.05)
            continue;
          assert.equal(found.kd?.relation, '~', `${seed}: ${found.kd?.value}`);
          assert.equal(findMisfitSeverity(found), 'warning');
          assert.equal(confidence, 'low');
          assert.match(fit?.model ?? '', /^1:1/);
        }
      }
    });
  }
});

/** A dimer that binds with one site, or bridges two. */
function withDimer(seed: number, bivalentAnalyte: boolean): SequenceAffinity {
  const logs = [5e4, 5e-3, 1e-2, 5e-3].map(Math.log);
  const plate = createShapedFile({
    concentrationsM: DOSES_M,
    computeResponse: (curve) => computeAlternativeResponse('bivalent_analyte', curve, logs),
    noiseSd: 0.002,
    seed,
    dissociationS: 600,
  });
  return analyzeAffinity([plate], { curves: false, bivalentAnalyte }).sequences[0];
}

test('misfit: a dimer that is not declared → an estimate, and the warning gives the KD of both models', () => {
  for (const seed of SEEDS) {
    const found = withDimer(seed, false);
    const flag = found.flags.find(({ code }) => code === 'MODEL_IN_DOUBT');
    assert.equal(found.kd?.relation, '~', `${seed}: ${found.kd?.value}`);
    assert.match(flag?.message ?? '', /bivalent analyte.* a KD of .* nM.*not declared.* KD of .* nM/);
  }
});

test('misfit: a dimer that is declared → measured by its model, without a doubt', () => {
  const found = withDimer(1, true);
  assert.equal(findMisfitSeverity(found), undefined);
  assert.equal(found.replicates[0].fit?.model, 'bivalent_analyte');
});

test('misfit: 1:1 binding with or without drift → measured without a warning in all but one of eight', () => {
  for (const driftPerS of [0, 1e-4]) {
    const found = Array.from({ length: 8 }, (_, index) => withResidue(0, index + 1, { driftPerS }));
    const plain = found.filter((each) => findMisfitSeverity(each) === undefined);
    // The correlated noise of one seed looks like a second kind of site.
    assert.ok(plain.length >= 7, `${plain.length} of 8`);
    for (const { kd } of plain) {
      assert.equal(kd?.relation, '=');
      assert.ok(computeRelativeError(kd.value, KD_M) < 0.1, `${kd.value}`);
    }
  }
});
