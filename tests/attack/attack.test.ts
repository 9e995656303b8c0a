/**
 * A small sample of the attack: every family with fixed seeds, thousands of runs at night. Families that exceed a limit
 * today are listed in `known-misses.ts`; the list is expected to shrink.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FAMILIES } from './families/registry.ts';
import { formatTable, reportFamily, type FamilyReport } from './judge/rates.ts';
import type { Verdict } from './judge/verdict.ts';
import { compareWithKnown, findStaleEntries } from './known-misses.ts';
import { examineFamilies } from './slice.ts';

/** Of four runs two exceed a limit of a twentieth, and one exceeds one of 0.5 %. */
const RUNS = Number(process.env['ASSAYER_ATTACK_RUNS'] ?? '4');
const FIRST_SEED = Number(process.env['ASSAYER_SEED'] ?? '1');

/** How many runs of a family each KD must have the reason of its relation in. */
const REASONED_RUNS = 4;
/** Each of these flags says why a KD is no measured value. */
const REASONS = new Set([
  'CONTROL_FAILED',
  'DOSES_ABOVE_KD',
  'DOSE_INFLUENTIAL',
  'DRIFT_FITTED',
  'HETEROGENEOUS_LIGAND',
  'KOFF_BELOW_LIMIT',
  'KON_ABOVE_LIMIT',
  'MIXED_RELATIONS',
  'MODEL_IN_DOUBT',
  'NON_MONOTONIC_DOSE',
  'OTHER_MECHANISM',
  'POORLY_IDENTIFIED',
  'POOR_FIT',
  'REPLICATES_DISAGREE',
  'SATURATED',
  'TIME_ZERO_OFFSET',
  'TOO_FEW_CURVES',
  'TOP_C_BELOW_KD',
  'WINDOW_DEPENDENT',
]);

const reports: FamilyReport[] = [];
/** Of the first runs of each family of titrations: the KD that are limits or estimates. */
const unmeasured: (readonly [family: string, verdict: Verdict])[] = [];

for (const family of FAMILIES)
  test(`attack: ${RUNS} runs of ${family.name} from seed ${FIRST_SEED} → its limits hold as listed`, async () => {
    const verdicts = await examineFamilies({
      families: [family.name],
      runs: RUNS,
      firstSeed: FIRST_SEED,
      workers: 1,
    });
    const judged = verdicts.get(family.name) ?? [];
    const first = judged.filter(({ seed }) => seed < FIRST_SEED + REASONED_RUNS);
    if (family.assay === 'affinity')
      for (const verdict of first)
        if ((verdict.reading?.relation ?? '=') !== '=') unmeasured.push([family.name, verdict]);
    const report = reportFamily(family, judged);
    reports.push(report);
    assert.deepEqual(compareWithKnown([report]), []);
  });

test('attack: the list of known misses → names rates that exist', (context) => {
  context.diagnostic(`\n${formatTable(reports)}`);
  assert.deepEqual(findStaleEntries(reports), []);
});

test('reason of a relation: every family of titrations → each KD that is not measured has a flag that says why', () => {
  const titrations = FAMILIES.filter(({ assay }) => assay === 'affinity');
  assert.ok(unmeasured.length >= titrations.length / 2, `${unmeasured.length}`);
  for (const [family, { seed, reading }] of unmeasured)
    assert.ok(
      reading?.flags.some((code) => REASONS.has(code)),
      `${family}:${seed} ${JSON.stringify(reading)}`,
    );
});
