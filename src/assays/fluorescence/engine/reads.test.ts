import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AnalysisError } from '#analysis/failures/errors.ts';
import { parsePlates } from '#analysis/formats/parse-wells.ts';
import { toFile } from '#testing/analysis/synthetic.ts';
import type { PlateSet } from '#analysis/curves/trace.ts';
import { analyzeFluorescenceSets } from './fluorescence.ts';

interface Read {
  ex: number;
  gain: number;
  factor: number;
}

/** Four wells each of blank, reference and one design, whose signal above the blank is half of the reference's. */
function createPlate(name: string, ...reads: Read[]): PlateSet {
  const roles = { A: ['blank', ''], B: ['positive_control', 'ref'], C: ['sample', 'd1'] } as const;
  const net = { A: 0, B: 10_000, C: 5_000 };
  const rows = (['A', 'B', 'C'] as const).flatMap((row) => [1, 2, 3, 4].map((column) => ({ row, column })));
  const text = [
    '# assayer-plate: 1',
    `# plate: ${name}`,
    'well,role,sample,replicate,concentration_m,concentration_ng_per_ul',
    ...rows.map(({ row, column }) => `${row}${column},${roles[row].join(',')},${column},,`),
    '',
    'well,channel,ex_nm,em_nm,gain,value',
    ...reads.flatMap(({ ex, gain, factor }) =>
      rows.map(({ row, column }) => {
        const value = 100 + factor * (net[row] + column);
        return `${row}${column},fluorescence,${ex},${ex + 35},${gain},${value}`;
      }),
    ),
    '',
  ].join('\n');
  return parsePlates([toFile(`${name}.csv`, text)])[0];
}

const GREEN = { ex: 485, gain: 80, factor: 1 };
const RED = { ex: 560, gain: 80, factor: 0.9 };

describe('several reads of one plate', () => {
  test('settings_invalid: several reads of one plate → the settings have to choose one', () => {
    assert.throws(
      () => analyzeFluorescenceSets([createPlate('P1', GREEN, RED)]),
      (error) =>
        error instanceof AnalysisError &&
        error.code === 'settings_invalid' &&
        error.message.includes('fluorescence 485/520 nm, gain 80; fluorescence 560/595 nm, gain 80'),
    );
  });

  test('reads: the settings choose one → only that one counts', () => {
    const both = createPlate('P1', GREEN, RED, { ...GREEN, gain: 100, factor: 3 });
    const [design] = analyzeFluorescenceSets([both], { exNm: 560 }).sequences;
    const [alone] = analyzeFluorescenceSets([createPlate('P1', RED)]).sequences;
    assert.deepEqual(design, alone);
    assert.deepEqual([design.nReplicates, design.exNm, design.gain], [4, 560, 80]);
    const [bright] = analyzeFluorescenceSets([both], { gain: 100 }).sequences;
    assert.ok(Math.abs((bright.intensity?.value ?? 0) - 15_000) < 10);
  });

  test('reads: the settings choose one that is not there → refused with the reads of the plate', () => {
    assert.throws(
      () => analyzeFluorescenceSets([createPlate('P1', GREEN)], { gain: 60 }),
      /its reads: fluorescence 485\/520 nm, gain 80/,
    );
  });
});

test('READS_DIFFER: plates at different gains → only normalized intensities are combined', () => {
  const [design] = analyzeFluorescenceSets([
    createPlate('P1', GREEN),
    createPlate('P2', { ...GREEN, gain: 100, factor: 3 }),
  ]).sequences;
  assert.equal(design.intensity, null);
  assert.equal(design.gain, null);
  assert.equal(design.outcome, 'measured');
  assert.equal(design.normalized?.n, 8);
  assert.ok(Math.abs((design.normalized?.value ?? 0) - 0.5) < 0.01);
  assert.ok(design.flags.some(({ code }) => code === 'READS_DIFFER'));
  assert.ok((design.cvPct ?? 100) < 1);
});

test('not_enough_data: the only read is an absorbance → refused, never ranked as a fluorescence', () => {
  const { readings, ...set } = createPlate('P1', GREEN);
  const absorbances = readings.map((reading) => ({ ...reading, channel: 'A600', exNm: null, emNm: null }));
  assert.throws(
    () => analyzeFluorescenceSets([{ ...set, readings: absorbances }]),
    (error) => error instanceof AnalysisError && error.message.includes('holds absorbances (A600)'),
  );
});
