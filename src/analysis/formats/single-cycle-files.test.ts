/**
 * Single-cycle kinetics from every trace format to its KD: concentrations from the file if it has them, else
 * assigned.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SequenceAffinity } from '#assays/affinity/engine/types.ts';
import { analyzeAffinity } from '#testing/analysis/analyze.ts';
import type { TraceAssignment } from '#assays/binding/engine/assignments.ts';
import type { BindingSettingsInput } from '#assays/binding/engine/settings.ts';
import { createZip } from '#testing/analysis/archive.ts';
import { DOSES_M, createSingleCycleTrace } from '#testing/analysis/single-cycle.ts';
import { computeRelativeError, toFile } from '#testing/analysis/synthetic.ts';
import type { TraceStep } from '../curves/trace.ts';
import type { InputFile } from './reading/input-file.ts';

const KD_M = 1e-8;
const { steps: STEPS } = createSingleCycleTrace({
  kinetics: { kon: 2e5, koff: 2e-3 },
  seed: 7,
  stated: true,
});
/** Start of the first injection on the clock of the trace. */
const START_S = 60;
const STARTS_S = DOSES_M.map((_, i) => 150 * i);
const LENGTH_S = 100;

function listSamples(steps: readonly TraceStep[] = STEPS): { step: TraceStep; t: number; y: number }[] {
  return steps.flatMap((step) => [...step.timeS].map((t, i) => ({ step, t, y: step.signal[i] })));
}

function tidy(molar = DOSES_M.join(';')): InputFile {
  const text = [
    '# assayer-traces: 1',
    '# technique: spr',
    '# signal_unit: RU',
    '',
    'trace,well,role,sample,replicate,concentration_m',
    `A1,,sample,x,1,${molar}`,
    '',
    'trace,step,time_s,signal',
    ...listSamples().map(({ step, t, y }) => `A1,${step.step},${t},${y.toFixed(6)}`),
    '',
  ];
  return toFile('traces.csv', text.join('\n'));
}

function encodeBase64(values: readonly number[]): string {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeFloatLE(value, 4 * i);
  return bytes.toString('base64');
}

function createFrd(isStated = true): InputFile {
  const types = { baseline: 'BASELINE', association: 'ASSOC', dissociation: 'DISASSOC' } as Record<
    string,
    string
  >;
  const xml = STEPS.map(({ step, timeS, signal, concentrationM }) => {
    const molar = !isStated ? -1 : (concentrationM ?? 0) * 1e9;
    const common = `<CommonData><SampleID>x</SampleID><Concentration>-1</Concentration><MolarConcentration>${molar}</MolarConcentration><MolarConcUnits>nM</MolarConcUnits></CommonData>`;
    const points = `Points="${timeS.length}"`;
    return `<Step>${common}<StepType>${types[step]}</StepType><AssayXData ${points}>${encodeBase64([...timeS])}</AssayXData><AssayYData ${points}>${encodeBase64([...signal])}</AssayYData></Step>`;
  });
  return toFile(
    'A1.frd',
    `<?xml version="1.0" encoding="UTF-8"?>\n<ExperimentResults><ExperimentInfo><SensorName>A1</SensorName></ExperimentInfo><KineticsData>${xml.join('')}</KineticsData></ExperimentResults>`,
  );
}

function createGator(): InputFile {
  const kinds: Record<string, number> = { baseline: 0, association: 2, dissociation: 3 };
  const lines = STEPS.map(({ step, startS }, i) => {
    const column = step === 'association' ? 1 + DOSES_M.indexOf(STEPS[i].concentrationM ?? 0) : 0;
    return `Step${i + 1}=${column},${startS},${STEPS[i + 1]?.startS ?? START_S + 1500},${kinds[step]}`;
  });
  const wells = DOSES_M.map((molar, i) => `Well${8 * (i + 1) + 1}=1,-1,-1,${molar * 1e9},,x`);
  const rows = listSamples().map(({ t, y }) => `${y.toFixed(6)},${t},0`);
  return createZip([
    toFile(
      'run/ExperimentStep.ini',
      ['[Experiment]', 'Num=1', '[Experiment1]', `Num=${STEPS.length}`, ...lines, ''].join('\n'),
    ),
    toFile(
      'run/Setting.ini',
      [
        '[BasicInformation]',
        'Frequency=1Hz',
        '[SampleKinetics]',
        'Well1=4,-1,-1,-1,,',
        ...wells,
        'MolarConcentrationUnit=NM',
        '',
      ].join('\n'),
    ),
    toFile('run/Assay_1_Channel1.csv', ['FinalValue,Time,SMax', ...rows, ''].join('\n')),
  ]);
}

function createMultiCycle(): InputFile {
  const rows = listSamples(STEPS.slice(1)).map(({ step, t, y }) => {
    return `${t - START_S},${(y - 12).toFixed(6)},80,${(step.concentrationM ?? 0) * 1e6}`;
  });
  const head = '"Time","Signal","Smax","Analyte_concentration_micromolar_constant"';
  return toFile('cycles.csv', [head, ...rows, ''].join('\n'));
}

function createXyText(): InputFile {
  const rows = listSamples().map(({ t, y }) => `${t - START_S}\t${y.toFixed(6)}`);
  return toFile('sck.txt', ['Cycle: 4 x_X\tCycle: 4 x_Y', ...rows, ''].join('\r\n'));
}

function createOctetText(): InputFile {
  const all = listSamples(STEPS.slice(1));
  const head = ['Conc1\t-1', `Start1\t${START_S}`, `Stop1\t${all.at(-1)?.t}`, 'Time1\tData1\tFit1'];
  const rows = all.map(({ t, y }) => `${t}\t${(y - 12).toFixed(6)}\t0`);
  return toFile(
    'A1Results.txt',
    [...head, ...rows, '']
      .map((line) => `${line}\t`)
      .join('\r\n')
      .replace(/\t$/, ''),
  );
}

function createAssignment(id: string, assignment: TraceAssignment): BindingSettingsInput {
  return { assign: { [id]: assignment } };
}

function analyzeFile(file: InputFile, settings: BindingSettingsInput = {}): SequenceAffinity {
  return analyzeAffinity([file], { model: '1:1', rmax: 'global', interStep: 'off', ...settings })
    .sequences[0];
}

function assertKd(sequence: SequenceAffinity): void {
  const [replicate] = sequence.replicates;
  assert.equal(sequence.outcome, 'measured', JSON.stringify(sequence.flags));
  assert.ok(computeRelativeError(sequence.kd?.value, KD_M) < 0.03, `${sequence.kd?.value}`);
  assert.equal(sequence.kd?.relation, '=');
  assert.equal(replicate.fit?.singleCycle, true);
  assert.equal(sequence.concentrationsM.length, DOSES_M.length);
  assert.ok(sequence.concentrationsM.every((dose, i) => computeRelativeError(dose, DOSES_M[i]) < 1e-3));
  assert.ok(computeRelativeError(replicate.rmax?.value, 80) < 0.03, `${replicate.rmax?.value}`);
  assert.ok(!sequence.flags.some(({ code }) => code === 'TOO_FEW_CURVES'));
}

describe('injection concentrations in the file', () => {
  const files = {
    'assayer-traces': tidy(),
    'Octet .frd': createFrd(),
    'Gator folder': createGator(),
    'multi-cycle CSV': createMultiCycle(),
  };
  for (const [name, file] of Object.entries(files)) {
    test(`${name}: a single cycle with concentrations in the file → the true KD`, () => {
      assertKd(analyzeFile(file));
    });
  }

  test('assayer-traces: another number of concentrations than associations → refused with the line', () => {
    assert.throws(
      () => analyzeFile(tidy('1e-9;3e-9')),
      /traces\.csv, line 6: expected a concentration for each of the 5 associations of trace A1, found "?2"?/,
    );
    assert.throws(
      () => analyzeFile(tidy('1e-9;;9e-9')),
      /line 6, column 21: expected a concentration in M, a finite number/,
    );
    assert.throws(
      () => analyzeFile(tidy('1e-9;-1;9e-9;1e-8;2e-8')),
      /line 6, column 21: expected a concentration in M between 0 and 1/,
    );
  });
});

describe('injection concentrations in the settings', () => {
  const times = { injectionsM: DOSES_M, injectionStartsS: STARTS_S };

  test('Octet .frd: a single cycle without concentrations → failed_qc names the missing setting, which then works', () => {
    const without = analyzeFile(createFrd(false), createAssignment('A1 cycle 1', { concentrationM: 81e-9 }));
    assert.equal(without.outcome, 'failed_qc');
    assert.match(without.flags[0].message, /assign\["A1 cycle 1"\]\.injections_m/);
    assertKd(analyzeFile(createFrd(false), createAssignment('A1 cycle 1', { injectionsM: DOSES_M })));
  });

  test('X–Y text: a single cycle with injection times in the settings → the true KD', () => {
    assertKd(
      analyzeFile(createXyText(), { ...createAssignment('Cycle: 4 x', times), associationS: LENGTH_S }),
    );
  });

  test('Octet text: a single cycle with injection times on the clock of the file → the true KD', () => {
    const onClock = { ...times, injectionStartsS: STARTS_S.map((t) => t + START_S) };
    assertKd(analyzeFile(createOctetText(), { ...createAssignment('A1', onClock), associationS: LENGTH_S }));
  });

  test('invalid settings: injections that are missing or impossible → refused by name', () => {
    const refused: [TraceAssignment, number | null, RegExp][] = [
      [
        { injectionsM: DOSES_M },
        LENGTH_S,
        /injections_m needs injection_starts_s \(when each of the 5 injections starts, in s\) and association_s/,
      ],
      [times, null, /and association_s \(how long each lasts\): the file does not state its steps/],
      [{ injectionStartsS: STARTS_S }, LENGTH_S, /injection_starts_s has to come with as many injections_m/],
      [
        times,
        160,
        /injection_starts_s has to leave 160 s \(association_s\) for each injection between 0 and 1499 s/,
      ],
      [
        { ...times, injectionStartsS: [0, 150, 100, 450, 600] },
        LENGTH_S,
        /injectionStartsS has to be a list of ascending times in s/,
      ],
      [{ ...times, injectionStartsS: [-1, 150, 300, 450, 600] }, LENGTH_S, /has to leave 100 s/],
    ];
    for (const [assignment, associationS, message] of refused)
      assert.throws(
        () => analyzeFile(createXyText(), { ...createAssignment('Cycle: 4 x', assignment), associationS }),
        message,
      );
    assert.throws(
      () => analyzeFile(tidy(), createAssignment('A1', times)),
      /for files that do not state their steps; this one does/,
    );
  });
});
