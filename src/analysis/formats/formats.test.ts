import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FormatError } from '../failures/errors.ts';
import { toFile } from '#testing/analysis/synthetic.ts';
import { parseTraces, sniffTraceFormat } from './parse.ts';
import type { InputFile } from './reading/input-file.ts';

const OURS = `# assayer-traces: 1
# technique: bli
# signal_unit: nm
# plate: P1
# operator: nobody

trace,well,role,sample,replicate,concentration_m
T1,A01,sample,"my ""best"", one",1,1e-6
T2,H01,reference,,1,0

trace,step,time_s,signal
T1,baseline,0,0
T1,loading,1,0.5
T1,baseline,2,0.6
T1,association,3,0.7
T1,association,4,0.8
T1,dissociation,4,0.8
T1,dissociation,5,-1.5e-1
T2,baseline,0,0
T2,association,3,0.1
`;

const OCTET = ['Conc1\t1E-06\t', 'Start1\t360\t', 'Stop1\t360.4\t', 'Kobs\t1\t', 'Time1\tData1\tFit1\t']
  .concat(['360\t0\t0\t', '360.2\t0.1\t0.1\t', '360.4\t0.2\t0.2\t', ''])
  .join('\r\n');

const MULTI = `"Time","Signal","Smax","Analyte_concentration_micromolar_constant"
0,0,5,0.1
1,1,5,0.1
1,1,5,0
2,0.5,5,0
0,0,5,0.2
1,2,5,0.2
1,2,5,0
2,1,5,0
`;

const STEPS_INI = `[Experiment]
Num=2
[Experiment1]
Step1=0,0,1,0
Step2=1,1,2,2
Step3=0,2,3,3
Num=3
`;
const SETTING_INI = `[BasicInformation]
Frequency=10Hz
[SampleKinetics]
Well1=4,-1,-1,-1,,
Well9=1,17,170,100,,EGFR
MolarConcentrationUnit=NM
`;
const CHANNEL = `FinalValue,Time,SMax
0,0,1,9
0.1,0.5,1,9
0.2,1,1,9
0.3,1.5,1,9
0.4,2,1,9
0.3,2.5,1,9
0.2,3,1,9
`;

function createGator(change: { steps?: string; setting?: string; channel?: string } = {}): InputFile[] {
  return [
    toFile('run/ExperimentStep.ini', change.steps ?? STEPS_INI),
    toFile('run/Setting.ini', change.setting ?? SETTING_INI),
    toFile('run/Assay_1_Channel1.csv', change.channel ?? CHANNEL),
  ];
}

function getFailure(files: InputFile[]): FormatError {
  try {
    parseTraces(files);
  } catch (error) {
    assert.ok(error instanceof FormatError, `not a FormatError: ${String(error)}`);
    return error;
  }
  return assert.fail('the damaged file was accepted');
}

function createOurs(from: string, to: string): InputFile[] {
  assert.ok(OURS.includes(from));
  return [toFile('ours.csv', OURS.replace(from, to))];
}

describe('assayer-traces', () => {
  test('assayer-traces: an intact file → every field is read', () => {
    const [set] = parseTraces([toFile('ours.csv', OURS)]);
    assert.equal(set.technique, 'bli');
    assert.equal(set.signalUnit, 'nm');
    assert.equal(set.plate, 'P1');
    assert.deepEqual(set.metadata, { operator: 'nobody' });
    const [first, second] = set.traces;
    assert.equal(first.sample, 'my "best", one');
    assert.equal(first.concentrationM, 1e-6);
    assert.deepEqual(
      first.steps.map((step) => [step.step, step.startS, [...step.timeS], [...step.signal]]),
      [
        ['baseline', 0, [0], [0]],
        ['loading', 1, [1], [0.5]],
        ['baseline', 2, [2], [0.6]],
        ['association', 3, [3, 4], [0.7, 0.8]],
        ['dissociation', 4, [4, 5], [0.8, -0.15]],
      ],
    );
    assert.deepEqual([second.role, second.sample, second.concentrationM], ['reference', '', 0]);
  });

  test('assayer-traces: CR, CRLF or a byte-order mark → the same reading', () => {
    const expected = parseTraces([toFile('ours.csv', OURS)]);
    for (const end of ['\r', '\r\n']) {
      assert.deepEqual(parseTraces([toFile('ours.csv', `\uFEFF${OURS.replaceAll('\n', end)}`)]), expected);
    }
  });

  test('assayer-traces: a value that is not a number → refused with line and column', () => {
    for (const wrong of ['NaN', 'Infinity', '', '0x10', '1,5e', '1 2', '1e999']) {
      const error = getFailure(createOurs('T1,association,4,0.8', `T1,association,4,${wrong}`));
      assert.equal(error.line, 16);
      if (!wrong.includes(',')) assert.equal(error.column, 18);
      assert.match(error.message, /ours\.csv, line 16/);
    }
  });

  test('assayer-traces: an unknown version, technique, role or a duplicate → refused with the line', () => {
    const wrong: [string, string, number | null][] = [
      ['# assayer-traces: 1', '# assayer-traces: 2', 1],
      ['# technique: bli', '# technique: itc', 2],
      ['T1,A01,sample', 'T1,A01,guess', 8],
      ['T2,H01', 'T1,H01', 9],
      [',1,1e-6', ',0,1e-6', 8],
      [',1,1e-6', ',1,-1', 8],
      ['"my ""best"", one"', '', 8],
      ['"my ""best"", one"', '"my best', 8],
      ['T1,loading,1,0.5', 'T9,loading,1,0.5', 13],
      ['T1,loading,1,0.5', 'T1,lading,1,0.5', 13],
      ['T1,loading,1,0.5', 'T1,loading,1', 13],
      ['T1,loading,1,0.5', 'T1,loading,-1,0.5', 13],
      ['T1,association,4,0.8', 'T1,association,3,0.8', 16],
      ['T2,baseline,0,0\nT2,association,3,0.1\n', '', 9],
    ];
    for (const [from, to, line] of wrong)
      assert.equal(getFailure(createOurs(from, to)).line, line, `${from} → ${to}`);
  });

  test('assayer-traces: truncation at any byte within a trace → an error', () => {
    const bytes = new TextEncoder().encode(OURS);
    const lastTrace = OURS.lastIndexOf('T2,association');
    for (let length = 0; length < bytes.length; length += 1) {
      if (length === lastTrace) continue;
      const file = { name: 'ours.csv', bytes: bytes.subarray(0, length) };
      assert.throws(() => parseTraces([file]), FormatError, `cut after ${length} bytes`);
    }
  });

  test('assayer-traces: a file cut at a line end → refused as cut off', () => {
    const ids = ['T1', 'T2', 'T3'];
    const table = ids.map((id) => `${id},,sample,${id},1,1e-6`);
    const rows = ids.flatMap((id) =>
      Array.from({ length: 40 }, (_, i) => `${id},${i < 20 ? 'association' : 'dissociation'},${i},0`),
    );
    const text = (kept: string[]): string => {
      return [
        '# assayer-traces: 1',
        'trace,well,role,sample,replicate,concentration_m',
        ...table,
        '',
        'trace,step,time_s,signal',
        ...kept,
        '',
      ].join('\n');
    };
    assert.equal(parseTraces([toFile('a.csv', text(rows))])[0].traces.length, 3);
    assert.match(getFailure([toFile('a.csv', text(rows.slice(0, -5)))]).message, /cut off/);
    assert.match(getFailure([toFile('a.csv', text(rows.slice(0, -22)))]).message, /cut off/);
  });

  test('assayer-traces: bytes that are not UTF-8, zero bytes or an unknown file → refused', () => {
    const bytes = new TextEncoder().encode(OURS);
    bytes[200] = 0xff;
    assert.match(getFailure([{ name: 'ours.csv', bytes }]).expected, /UTF-8/);
    bytes[200] = 0;
    assert.match(getFailure([{ name: 'ours.csv', bytes }]).found, /zero/);
    assert.match(getFailure([toFile('a.csv', 'hello')]).found, /unknown format/);
    assert.match(getFailure([toFile('a.csv', '')]).found, /empty file/);
    assert.match(getFailure([]).expected, /at least one/);
  });
});

describe('mutation', () => {
  test('formats: any single damaged byte → a FormatError or a reading, never another error', () => {
    const uploads = [
      [toFile('ours.csv', OURS)],
      [toFile('A2Results.txt', OCTET)],
      [toFile('m.csv', MULTI)],
      createGator(),
    ];
    for (const files of uploads) {
      for (const [index, file] of files.entries()) {
        for (let at = 0; at < file.bytes.length; at += 1) {
          const bytes = Uint8Array.from(file.bytes);
          bytes[at] = (bytes[at] * 7 + 13 * at) % 256;
          try {
            parseTraces(files.with(index, { ...file, bytes }));
          } catch (error) {
            assert.ok(error instanceof FormatError, `${file.name} byte ${at}: ${String(error)}`);
          }
        }
      }
    }
  });
});

describe('Octet text', () => {
  test('Octet text: an intact file → header and samples, and the sensor is the file name', () => {
    const [set] = parseTraces([toFile('tray 1/A2Results.txt', OCTET)]);
    const [trace] = set.traces;
    assert.deepEqual([set.plate, trace.id, trace.well, trace.sample], ['tray 1', 'A2', 'A2', 'column 2']);
    assert.equal(trace.concentrationM, 1e-6);
    assert.deepEqual([trace.steps[0].step, [...trace.steps[0].timeS]], ['unsegmented', [360, 360.2, 360.4]]);
  });

  test('Octet text: a cut file, a missing header line or garbage → refused', () => {
    assert.match(
      getFailure([
        toFile(
          'A2Results.txt',
          OCTET.replace('360.4\t0.2\t0.2\t\r\n', '').replace('360.2\t0.1\t0.1\t\r\n', ''),
        ),
      ]).message,
      /A2Results/,
    );
    assert.match(getFailure([toFile('A2Results.txt', OCTET.slice(0, -6))]).message, /line end/);
    assert.match(
      getFailure([toFile('A2Results.txt', OCTET.replace('Start1\t360\t\r\n', ''))]).expected,
      /Start1/,
    );
    assert.equal(getFailure([toFile('A2Results.txt', OCTET.replace('360.2\t0.1', '360.2\tx'))]).line, 7);
  });
});

describe('multi-cycle CSV', () => {
  test('multi-cycle CSV: an intact file → curves, phases and micromolar concentrations', () => {
    const [set] = parseTraces([toFile('m.csv', MULTI)]);
    assert.deepEqual(
      set.traces.map((trace) => trace.concentrationM),
      [0.1 * 1e-6, 0.2 * 1e-6],
    );
    assert.deepEqual(
      set.traces[0].steps.map((step) => [step.step, [...step.timeS], [...step.signal]]),
      [
        ['association', [0, 1], [0, 1]],
        ['dissociation', [1, 2], [1, 0.5]],
      ],
    );
  });

  test('multi-cycle CSV: the last curve ends early → refused', () => {
    assert.match(getFailure([toFile('m.csv', MULTI.replace('2,1,5,0\n', ''))]).message, /cut off/);
  });
});

describe('Gator folder', () => {
  test('Gator folder: an intact folder → steps, wells and a notice for the assay without traces', () => {
    const [set] = parseTraces(createGator());
    assert.deepEqual(set.notices, ['Assay 2 is listed in ExperimentStep.ini but has no trace files.']);
    const [trace] = set.traces;
    assert.deepEqual([trace.id, trace.well, trace.concentrationM], ['channel 1', 'A2', 1e-7]);
    assert.deepEqual(
      trace.steps.map((step) => [step.step, [...step.timeS], [...step.signal]]),
      [
        ['baseline', [0, 0.5], [0, 0.1]],
        ['association', [1, 1.5], [0.2, 0.3]],
        ['dissociation', [2, 2.5, 3], [0.4, 0.3, 0.2]],
      ],
    );
  });

  test('Gator folder: a molar concentration of −1 → no concentration', () => {
    const [set] = parseTraces(
      createGator({ setting: SETTING_INI.replace('1,17,170,100,,EGFR', '1,17,170,-1,,EGFR') }),
    );
    assert.equal(set.traces[0].concentrationM, null);
  });

  test('Gator folder: cut channels, missing or broken settings → refused', () => {
    assert.match(
      getFailure(createGator({ channel: CHANNEL.replace('0.3,2.5,1,9\n0.2,3,1,9\n', '') })).message,
      /cut off/,
    );
    assert.equal(getFailure(createGator({ channel: CHANNEL.replace('0.3,1.5,1,9', '0.3,1.5,1') })).line, 5);
    assert.match(
      getFailure(createGator({ steps: STEPS_INI.replace('1,1,2,2', '1,2,1,2') })).expected,
      /Step2/,
    );
    assert.match(getFailure(createGator({ setting: SETTING_INI.replace('NM', 'FURLONG') })).expected, /unit/);
    assert.match(getFailure(createGator().slice(1)).expected, /ExperimentStep\.ini/);
    assert.match(getFailure(createGator().slice(0, 2)).expected, /trace files/);
  });
});

test('sniffing: file names without extension → the format is found by content', () => {
  assert.equal(sniffTraceFormat(toFile('x', OURS))?.id, 'assayer-traces');
  assert.equal(sniffTraceFormat(toFile('x', OCTET))?.id, 'octet-text');
  assert.equal(sniffTraceFormat(toFile('x', MULTI))?.id, 'multi-cycle-csv');
  assert.equal(sniffTraceFormat(toFile('x', 'a,b,c')), null);
});
