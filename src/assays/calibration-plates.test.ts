/**
 * Whether the 95 % intervals of plates contain the true value, on simulated wells; `ASSAYER_CALIBRATION_SETS=2000` is
 * the full size.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyzeHere } from '#analysis/assays/assay.ts';
import { expression } from './expression/engine/assay.ts';
import { fluorescence } from './fluorescence/engine/assay.ts';
import { computeExtinction280, computeMassDa } from './expression/engine/protein.ts';
import { countCalibrationSets } from '#testing/analysis/noise.ts';
import { createNormals } from '#testing/analysis/synthetic.ts';

const SETS = countCalibrationSets(200);
const SEQUENCE =
  'QVQLVESGGGLVQAGGSLRLSCAASGRTFSSYAMGWFRQAPGKEREFVAAISWSGGSTYYADSVKGRFTISRDNAKNTVYLQMNSLKPEDTAVYYCAAGDY';
/** Has no divisor in common with the number of wells, so every place is taken once. */
const PLACE_STEP = 29;
const PLATE_WELLS = 96;
const COVERAGE = [0.92, 0.985] as const;

interface SimulatedWell {
  role: 'blank' | 'sample' | 'positive_control';
  value: number;
}

function createPlate(channel: string, wells: readonly SimulatedWell[]): { name: string; bytes: Uint8Array } {
  const counts = new Map<string, number>();
  const lines = wells.map(({ role }, i) => {
    const replicate = (counts.get(role) ?? 0) + 1;
    counts.set(role, replicate);
    const sample = role === 'blank' ? '' : role === 'sample' ? 'd' : 'wt';
    return `${formatWellName(i)},${role},${sample},${replicate},,`;
  });
  const text = [
    '# assayer-plate: 1',
    '# plate: P1',
    'well,role,sample,replicate,concentration_m,concentration_ng_per_ul',
    ...lines,
    '',
    'well,channel,ex_nm,em_nm,gain,value',
    ...wells.map(({ value }, i) => `${formatWellName(i)},${channel},${value.toFixed(6)}`),
    '',
  ].join('\n');
  return { name: 'plate.csv', bytes: new TextEncoder().encode(text) };
}

/** Spreads successive wells over rows and columns, so that no line of the plate holds all wells of a role. */
function formatWellName(index: number): string {
  const place = (index * PLACE_STEP) % PLATE_WELLS;
  return `${'ABCDEFGH'[Math.floor(place / 12)]}${(place % 12) + 1}`;
}

function createWells(role: SimulatedWell['role'], count: number, value: () => number): SimulatedWell[] {
  return Array.from({ length: count }, () => ({ role, value: value() }));
}

interface Interval {
  ci95Low: number | null;
  ci95High: number | null;
}

function isWithin(found: Interval | null, truth: number): boolean {
  if (found === null || found.ci95Low === null || found.ci95High === null) return false;
  return found.ci95Low <= truth && truth <= found.ci95High;
}

for (const [blanks, replicates] of [
  [8, 3],
  [4, 3],
  [4, 5],
  [8, 1],
  [3, 3],
]) {
  test(`A280: ${blanks} blanks and ${replicates} replicates → at least 92 % of ${SETS} intervals hold the yield`, (context) => {
    const normal = createNormals(blanks * 10 + replicates);
    const truth = 200;
    const absorbance =
      (truth * 1e-3 * computeExtinction280(SEQUENCE)) / (computeMassDa(SEQUENCE) ?? Number.NaN);
    let held = 0;
    for (let k = 0; k < SETS; k += 1) {
      const wells = [
        ...createWells('blank', blanks, () => 0.04 + 0.0015 * normal()),
        ...createWells('sample', replicates, () => 0.04 + absorbance + 0.0015 * normal()),
      ];
      const { found } = analyzeHere(expression, {
        files: [createPlate('A280,,,', wells)],
        sequences: { d: SEQUENCE },
      });
      if (isWithin(found.sequences[0].yield, truth)) held += 1;
    }
    context.diagnostic(`coverage ${((100 * held) / SETS).toFixed(1)} %`);
    // The wider of the intervals from blanks and from replicates covers more than 95 %.
    assert.ok(held / SETS > COVERAGE[0], `${held} of ${SETS}`);
  });
}

for (const [blanks, references, replicates, fold] of [
  [4, 4, 3, 2],
  [4, 2, 3, 2],
  [4, 4, 3, 0.05],
  [8, 8, 2, 0.5],
]) {
  test(`fluorescence: ${references} references, fold ${fold} → 92–98.5 % of ${SETS} intervals hold it`, (context) => {
    const normal = createNormals(blanks * 100 + references * 10 + fold);
    const bright = (level: number): number => 100 + level * (1 + 0.04 * normal()) + 10 * normal();
    const held = { intensity: 0, normalized: 0, log2: 0 };
    for (let k = 0; k < SETS; k += 1) {
      const wells = [
        ...createWells('blank', blanks, () => 100 + 10 * normal()),
        ...createWells('positive_control', references, () => bright(10_000)),
        ...createWells('sample', replicates, () => bright(10_000 * fold)),
      ];
      const { found } = analyzeHere(fluorescence, { files: [createPlate('fluorescence,485,520,80', wells)] });
      const [sequence] = found.sequences;
      if (isWithin(sequence.intensity, 10_000 * fold)) held.intensity += 1;
      if (isWithin(sequence.normalized, fold)) held.normalized += 1;
      if (isWithin(sequence.log2Fold, Math.log2(fold))) held.log2 += 1;
    }
    context.diagnostic(JSON.stringify(held));
    for (const [name, count] of Object.entries(held)) {
      assert.ok(count / SETS > COVERAGE[0] && count / SETS < COVERAGE[1], `${name}: ${count} of ${SETS}`);
    }
  });
}

test('FEW_REFERENCES: one reference well → a normalized value without interval, with the flag', () => {
  const wells = [
    ...createWells('blank', 4, () => 100).map((well, i) => ({ ...well, value: 98 + i })),
    ...createWells('positive_control', 1, () => 10_100),
    ...createWells('sample', 3, () => 5_100).map((well, i) => ({ ...well, value: 5_000 + 100 * i })),
  ];
  const { found } = analyzeHere(fluorescence, { files: [createPlate('fluorescence,485,520,80', wells)] });
  const [{ normalized, log2Fold, intensity, flags }] = found.sequences;
  assert.ok(normalized !== null && normalized.ci95Low === null && log2Fold?.ci95High === null);
  assert.ok(intensity !== null && intensity.ci95Low !== null);
  assert.ok(flags.some(({ code }) => code === 'FEW_REFERENCES'));
});
