/**
 * Every quality rule of the expression assay, from files: the flag is raised beyond the limit, and not just within
 * it.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { analyzeHere } from '#analysis/assays/assay.ts';
import { expression } from './assay.ts';
import type { Flag, FlagCode } from '#analysis/quality/flags.ts';
import type { InputFile } from '#analysis/formats/reading/input-file.ts';
import { computeExtinction280, computeMassDa } from './protein.ts';
import { writeCaptureFile, createStandards, createWells } from '#testing/analysis/capture.ts';
import type { CapturePlate, CaptureSensor } from '#testing/analysis/capture.ts';
import { toFile } from '#testing/analysis/synthetic.ts';
import type { ExpressionSettingsInput } from './settings.ts';
import type { ExpressionAnalysis } from './types.ts';

const NO_DNA = createWells('negative_control', 'No DNA', 0, 0, 0, 0);
const DESIGN = createWells('sample', 'design', 20, 22);

function analyze(
  file: InputFile,
  settings: ExpressionSettingsInput = {},
  sequences: Readonly<Record<string, string>> = {},
): ExpressionAnalysis {
  const { found } = analyzeHere(expression, { files: [file], settings: { ...settings }, sequences });
  return found;
}

function capture(
  sensors: readonly CaptureSensor[],
  settings: ExpressionSettingsInput = {},
  plate: Partial<CapturePlate> = {},
): ExpressionAnalysis {
  return analyze(writeCaptureFile({ sensors, ...plate }), settings);
}

function analyzeUsual(samples = DESIGN, settings: ExpressionSettingsInput = {}): ExpressionAnalysis {
  return capture([...createStandards(), ...NO_DNA, ...samples], settings);
}

function findFlag({ plates, sequences }: ExpressionAnalysis, code: FlagCode): Flag | undefined {
  return [...plates[0].flags, ...sequences[0].flags].find((each) => each.code === code);
}

const analyzeControl = (expected: number, ngPerUl: number): ExpressionAnalysis =>
  analyzeUsual([...DESIGN, ...createWells('positive_control', 'GFP', ngPerUl)], {
    controlNgPerUl: { GFP: expected },
  });

const FIVE = [1, 5, 31.25, 195, 488];

const RULES: readonly [
  code: FlagCode,
  severity: Flag['severity'],
  beyond: () => ExpressionAnalysis,
  within: () => ExpressionAnalysis,
][] = [
  [
    'STANDARD_CURVE_FAILED',
    'error',
    () => capture([...createStandards(), ...NO_DNA, ...DESIGN], {}, { standardMassDa: null }),
    () => analyzeUsual(),
  ],
  [
    'STANDARD_CURVE_FAILED',
    'error',
    () => capture([...createStandards([5]), ...NO_DNA, ...DESIGN]),
    () => capture([...createStandards(FIVE), ...NO_DNA, ...DESIGN]),
  ],
  [
    'STANDARD_CURVE_FAILED',
    'error',
    () => analyzeUsual(DESIGN, { standardCurveR2Min: 0.999999999 }),
    () => analyzeUsual(DESIGN, { standardCurveR2Min: 0.99 }),
  ],
  [
    'STANDARD_CURVE_FAILED',
    'error',
    () => analyzeUsual(DESIGN, { recoveryMinPct: 99.9999, recoveryMaxPct: 100.0001 }),
    () => analyzeUsual(DESIGN, { recoveryMinPct: 80, recoveryMaxPct: 120 }),
  ],
  [
    'FEW_STANDARDS',
    'warning',
    () => capture([...createStandards([1, 12.5, 78.125, 488]), ...NO_DNA, ...DESIGN]),
    () => capture([...createStandards(FIVE), ...NO_DNA, ...DESIGN]),
  ],
  [
    'NO_DNA_CONTROL_MISSING',
    'warning',
    () => capture([...createStandards(), ...DESIGN]),
    () => capture([...createStandards(), ...DESIGN], { subtractNoDna: false }),
  ],
  [
    'BACKGROUND_HIGH',
    'warning',
    () =>
      capture([
        ...createStandards([2, ...FIVE.slice(1)]),
        ...createWells('negative_control', 'No DNA', 3, 3),
        ...DESIGN,
      ]),
    () =>
      capture([
        ...createStandards([2, ...FIVE.slice(1)]),
        ...createWells('negative_control', 'No DNA', 1, 1),
        ...DESIGN,
      ]),
  ],
  [
    'ABOVE_ULOQ',
    'warning',
    () => analyzeUsual(createWells('sample', 'design', 560)),
    () => analyzeUsual(createWells('sample', 'design', 430)),
  ],
  [
    'BELOW_LLOQ',
    'info',
    () =>
      capture([
        ...createStandards([5, 12.5, 31.25, 78.125, 195]),
        ...NO_DNA,
        ...createWells('sample', 'design', 4),
      ]),
    () =>
      capture([
        ...createStandards([5, 12.5, 31.25, 78.125, 195]),
        ...NO_DNA,
        ...createWells('sample', 'design', 6),
      ]),
  ],
  [
    'STEPS_UNUSABLE',
    'error',
    () =>
      analyzeUsual([
        { role: 'sample', sample: 'design', replicate: 3, ngPerUl: 20, isBare: true },
        ...DESIGN,
      ]),
    () => analyzeUsual(),
  ],
  // A geometric CV of 40 % is a factor of 1.73 between two replicates.
  [
    'REPLICATES_DISAGREE',
    'warning',
    () => analyzeUsual(createWells('sample', 'design', 20, 36)),
    () => analyzeUsual(createWells('sample', 'design', 20, 33)),
  ],
  [
    'MIXED_RELATIONS',
    'warning',
    () => analyzeUsual(createWells('sample', 'design', 100, 900)),
    () => analyzeUsual(createWells('sample', 'design', 100, 110)),
  ],
  [
    'POORLY_IDENTIFIED',
    'warning',
    () => analyzeUsual(createWells('sample', 'design', 20, 30)),
    () => analyzeUsual(createWells('sample', 'design', 20, 22)),
  ],
  ['CONTROL_FAILED', 'warning', () => analyzeControl(43, 20), () => analyzeControl(37, 20)],
  ['CONTROL_FAILED', 'warning', () => analyzeControl(9.3, 20), () => analyzeControl(10.8, 20)],
  // Above the highest standard, only an expected yield below it is excluded.
  ['CONTROL_FAILED', 'warning', () => analyzeControl(200, 900), () => analyzeControl(900, 900)],
];

describe('flags of captures at their limits', () => {
  for (const [index, [code, severity, beyond, within]] of RULES.entries()) {
    test(`${code}: case ${index + 1}, beyond and within its limit → raised, not raised`, () => {
      assert.equal(findFlag(beyond(), code)?.severity, severity);
      assert.equal(findFlag(within(), code), undefined);
    });
  }
});

test('capture: a plate without faults → the yield and no flag', () => {
  const { plates, sequences } = analyzeUsual();
  assert.deepEqual([plates[0].pass, plates[0].flags, sequences[0].flags], [true, [], []]);
  const { yield: found } = sequences[0];
  assert.equal(found?.relation, '=');
  assert.ok(Math.abs(Math.log((found?.value ?? 0) / Math.sqrt(20 * 22))) < 0.1, `${found?.value}`);
});

test('POORLY_IDENTIFIED: replicates whose interval spans more than a factor of 16, and less → an estimate, measured', () => {
  const relate = (...ngPerUl: number[]): unknown => {
    const { yield: found } = analyzeUsual(createWells('sample', 'design', ...ngPerUl)).sequences[0];
    return found?.relation;
  };
  assert.deepEqual([relate(20, 30), relate(20, 22), relate(20, 24, 22)], ['~', '=', '=']);
});

test('capture: no usable standard curve → no yield; a yield above the curve → the limit of quantification as a bound', () => {
  const failed = capture([...createStandards(), ...NO_DNA, ...DESIGN], {}, { standardMassDa: null });
  assert.deepEqual(
    [failed.plates[0].pass, failed.sequences[0].outcome, failed.sequences[0].yield],
    [false, 'failed_qc', null],
  );
  const [above] = analyzeUsual(createWells('sample', 'design', 900)).sequences;
  assert.deepEqual([above.yield?.relation, above.yield?.value], ['>', above.uloqNgPerUl]);
});

test('invalid settings: an expected yield for a name that is no positive control → refused with the known names', () => {
  assert.throws(
    () => analyzeUsual(DESIGN, { controlNgPerUl: { GFP: 20 } }),
    /control_ng_per_ul names GFP, which the files do not have; it has to name positive controls. The files have none\./,
  );
});

/** Two cystines when paired, five cysteines; one W and three Y. */
const DISULFIDE = 'MCAWCGYCKYCEYACGGSGGS';

function createAbsorbance(
  absorbanceAu: readonly (number | 'OVER')[],
  { blanks = [0.04, 0.041, 0.039, 0.04] }: { blanks?: readonly number[] } = {},
): InputFile {
  const rows = [
    ...blanks.map((value, i) => ({ well: `A${i + 1}`, content: `blank,,${i + 1}`, value: String(value) })),
    ...absorbanceAu.map((value, i) => ({
      well: `B${i + 1}`,
      content: `sample,design,${i + 1}`,
      value: String(value),
    })),
  ];
  const text = [
    '# assayer-plate: 1',
    '# plate: P1',
    'well,role,sample,replicate,concentration_m,concentration_ng_per_ul',
    ...rows.map(({ well, content }) => `${well},${content},,`),
    '',
    'well,channel,ex_nm,em_nm,gain,value',
    ...rows.map(({ well, value }) => `${well},A280,,,,${value}`),
    '',
  ];
  return toFile('a280.csv', text.join('\n'));
}

describe('A280', () => {
  const of = (
    sequence: string | null,
    file = createAbsorbance([0.44, 0.441]),
    settings: ExpressionSettingsInput = {},
  ) => analyze(file, settings, sequence === null ? {} : { design: sequence });

  test('cystines: a reduced protein, or all cysteines paired → none, or 125 per M and cm for each pair', () => {
    const reduced = of(DISULFIDE);
    const paired = of(DISULFIDE, undefined, { cystines: 'all_paired' });
    assert.equal(reduced.analysis.settings.cystines, 'none');
    const expected = (0.4005 / computeExtinction280(DISULFIDE)) * (computeMassDa(DISULFIDE) ?? 0) * 1e3;
    const found = [reduced, paired].map(({ sequences }) => sequences[0].yield?.value ?? Number.NaN);
    assert.ok(Math.abs(found[0] / expected - 1) < 1e-3, `${found[0]}, expected ${expected}`);
    assert.equal(computeExtinction280(DISULFIDE), 5_500 + 3 * 1_490);
    assert.ok(Math.abs(found[0] / found[1] - (9_970 + 2 * 125) / 9_970) < 1e-9);
    const without = 'MAWGYKYEYAGGSGGSKKEE';
    const same = [{}, { cystines: 'all_paired' as const }].map(
      (settings) => of(without, undefined, settings).sequences[0].yield?.value,
    );
    assert.equal(same[0], same[1]);
  });

  test('cystines: an unknown word → refused', () => {
    assert.throws(
      () =>
        analyze(createAbsorbance([0.4]), Object.fromEntries([['cystines', 'some']]), { design: DISULFIDE }),
      /Setting cystines has to be none, all_paired\./,
    );
  });

  test('A280_BLIND: a sequence without W and Y, or no sequence → no yield', () => {
    for (const sequence of ['MKKGGSGGSCC', null]) {
      const found = of(sequence);
      assert.equal(findFlag(found, 'A280_BLIND')?.severity, 'error');
      assert.equal(found.sequences[0].yield, null);
    }
    assert.equal(findFlag(of('MKKGGSGGSY'), 'A280_BLIND'), undefined);
  });

  test('BLANK_MISSING: fewer than three blanks → no yield', () => {
    const at = (blanks: number[]) => of(DISULFIDE, createAbsorbance([0.44], { blanks }));
    assert.equal(findFlag(at([0.04, 0.041]), 'BLANK_MISSING')?.severity, 'error');
    assert.equal(at([0.04, 0.041]).sequences[0].yield, null);
    assert.equal(findFlag(at([0.04, 0.041, 0.039]), 'BLANK_MISSING'), undefined);
  });

  test('BELOW_LLOQ: below three standard deviations of the blanks → an upper limit', () => {
    // Blanks of 0.039, 0.041: SD 0.00115, so the limit is 0.0035 over their mean.
    const blanks = [0.039, 0.041, 0.039, 0.041];
    const at = (value: number) => of(DISULFIDE, createAbsorbance([value], { blanks }));
    assert.equal(findFlag(at(0.0433), 'BELOW_LLOQ')?.severity, 'info');
    assert.equal(at(0.0433).sequences[0].yield?.relation, '<');
    assert.equal(findFlag(at(0.0437), 'BELOW_LLOQ'), undefined);
    assert.equal(at(0.0437).sequences[0].yield?.relation, '=');
  });

  test('SATURATED: a detector overflow → failed_qc', () => {
    const found = of(DISULFIDE, createAbsorbance(['OVER']));
    assert.equal(findFlag(found, 'SATURATED')?.severity, 'error');
    assert.equal(found.sequences[0].outcome, 'failed_qc');
  });
});
