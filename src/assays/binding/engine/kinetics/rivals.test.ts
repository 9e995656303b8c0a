/** A KD that the model or the window decides is an estimate, and the flags name what other models give. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SequenceAffinity } from '../../../affinity/engine/types.ts';
import { analyzeAffinity } from '#testing/analysis/analyze.ts';
import { computeOneToOneResponse } from '#testing/analysis/noise.ts';
import { createShapedFile } from '#testing/analysis/shaped-plate.ts';
import type { Kinetics } from '#testing/analysis/synthetic.ts';

const DOSES_M = [1e-6, 5e-7, 2.5e-7, 1.2e-7, 6e-8];
/** The larger part of the sites; the others have the same kon and leave in half a minute. */
const MAIN = { kon: 1e4, koff: 2e-4 };
const KD_M = 2e-8;
const FAST_PER_S = 3e-2;
const DISSOCIATION_S = 600;

interface Sites {
  main: Kinetics;
  other: Kinetics;
  /** Part of the capacity that the other sites have. */
  part: number;
  dosesM: readonly number[];
  noiseSd: number;
  windowS: number;
  recordedS?: number;
}

function measureSites({
  main,
  other,
  part,
  dosesM,
  noiseSd,
  windowS,
  recordedS = DISSOCIATION_S,
}: Sites): SequenceAffinity {
  const file = createShapedFile({
    concentrationsM: dosesM,
    noiseSd,
    dissociationS: recordedS,
    computeResponse: (curve) => {
      const ofOther = computeOneToOneResponse(curve, other);
      return computeOneToOneResponse(curve, main).map((value, i) => (1 - part) * value + part * ofOther[i]);
    },
  });
  return analyzeAffinity([file], { curves: false, dissociationS: windowS }).sequences[0];
}

const measureTwoSites = (part: number, noiseSd: number, windowS: number): SequenceAffinity =>
  measureSites({ main: MAIN, other: { ...MAIN, koff: FAST_PER_S }, part, dosesM: DOSES_M, noiseSd, windowS });

const findMessage = ({ flags }: SequenceAffinity, code: string): string =>
  flags.find((flag) => flag.code === code)?.message ?? '';

describe('window_decides', () => {
  test('window_decides: two kinds of site, 1:1 by the first quarter of the dissociation → an estimate that names the KD of its first third', () => {
    const found = measureTwoSites(0.4, 0.005, 150);
    const [{ kd }] = found.replicates;
    assert.ok((kd?.ci95Low ?? 0) > KD_M, 'the interval would mislead');
    assert.deepEqual([kd?.relation, kd?.because], ['~', 'window_decides']);
    assert.match(
      findMessage(found, 'WINDOW_DEPENDENT'),
      /With its first third alone KD would be .* nM\. KD is an estimate: the first third of dissociation gives/,
    );
  });

  test('window_decides: two kinds of site, a KD between theirs by the whole dissociation → an estimate', () => {
    assert.equal(measureTwoSites(0.3, 0.005, DISSOCIATION_S).kd?.relation, '~');
  });

  test('window_decides: one kind of site, any window → measured', () => {
    for (const windowS of [300, DISSOCIATION_S]) {
      const { kd } = measureTwoSites(0, 0.005, windowS);
      assert.equal(kd?.relation, '=');
      assert.ok(Math.abs(Math.log(kd.value / KD_M)) < 0.1, `${kd.value}`);
    }
  });
});

describe('model_in_doubt', () => {
  test('model_in_doubt: a model that fits about as well gives a KD more than threefold higher → an estimate with the range of both', () => {
    const found = measureSites({
      main: { kon: 1e4, koff: 4e-3 },
      other: { kon: 2e4, koff: 1e-4 },
      part: 0.25,
      dosesM: DOSES_M,
      noiseSd: 0.02,
      windowS: 150,
      recordedS: 900,
    });
    assert.equal(found.kd?.relation, '~');
    assert.match(
      findMessage(found, 'MODEL_IN_DOUBT'),
      /which describes them about as well.* Other models that fit about as well give 1\d\d nM to [3-9]\d\d nM\./,
    );
  });
});

describe('site_above_doses', () => {
  const sites = { main: { kon: 2e4, koff: 2e-2 }, other: { kon: 1e5, koff: 1e-3 }, part: 0.4 };
  const measureTo = (topM: number): SequenceAffinity =>
    measureSites({
      ...sites,
      dosesM: [1, 2, 4, 8, 16, 32, 64].map((part) => topM / part),
      noiseSd: 0.001,
      windowS: DISSOCIATION_S,
    });

  test('site_above_doses: the larger part of the sites has a KD above the highest dose → no firm value, and both sites are named', () => {
    for (const topM of [3e-7, 7e-7]) {
      const found = measureTo(topM);
      const { model } = found.replicates[0].fit ?? {};
      assert.equal(model, 'heterogeneous_ligand', `${topM}`);
      assert.match(`${found.kd?.relation}`, /^[~>]$/, `${topM}`);
      assert.match(findMessage(found, 'HETEROGENEOUS_LIGAND'), /the other has 9\.\d+ nM/);
    }
    assert.equal(measureTo(7e-7).replicates[0].kd?.because, 'site_above_doses');
  });

  test('site_above_doses: doses on both sides of the KD of the larger part → measured', () => {
    const { kd } = measureTo(4e-6);
    assert.equal(kd?.relation, '=');
    assert.ok(Math.abs(Math.log(kd.value / 1e-6)) < 0.2, `${kd.value}`);
  });
});
