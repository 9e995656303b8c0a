/**
 * Uploads as large as the limits allow, or larger, one of every format: written to files, so that the process that reads them
 * holds nothing but what reading costs.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CELLS_MAX } from '#analysis/formats/reading/grid.ts';
import { type InputFile, LIMITS } from '#analysis/formats/reading/input-file.ts';
import { createWorkbookParts, createZip } from './archive.ts';
import type { Door } from './parse-worker.ts';
import { toFile } from './synthetic.ts';

export interface LargeUpload {
  name: string;
  path: string;
  door: Door;
  /** What the refusal says; null where the upload is read. */
  refused: RegExp | null;
}

const LINES_AT_ONCE = 2_000;
/** Eight of them are nearly all that an upload may unpack to. */
const GATOR_CHANNEL_BYTES = 19 * 1024 * 1024;

/** `head`, then lines until there are no more, or the file has `bytes`. */
function fillBuffer(head: string, line: (index: number) => string | null, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(bytes);
  let at = buffer.write(head);
  for (let index = 0; ;) {
    const lines: string[] = [];
    for (let text = line(index); text !== null && lines.length < LINES_AT_ONCE; text = line(index)) {
      lines.push(text);
      index += 1;
    }
    const joined = lines.join('');
    if (joined === '' || at + Buffer.byteLength(joined) > bytes) return buffer.subarray(0, at);
    at += buffer.write(joined, at);
  }
}

const TRACES_HEAD = [
  '# assayer-traces: 1',
  '# technique: bli',
  '# note: µ and μ',
  'trace,well,role,sample,replicate,concentration_m',
  'T1,A01,sample,design-1,1,1e-7',
  '',
  'trace,step,time_s,signal',
  '',
].join('\n');

function createTraces(bytes: number): Buffer {
  return fillBuffer(TRACES_HEAD, (i) => `T1,baseline,${i},0.${i % 10}\n`, bytes);
}

function createOctetText(bytes: number, samples: number): Buffer {
  const head = ['Conc1\t1E-06\t', 'Start1\t0\t', `Stop1\t${samples - 1}\t`, 'Time1\tData1\tFit1\t', ''];
  return fillBuffer(head.join('\n'), (i) => (i < samples ? `${i}\t0.1\t0\t\n` : null), bytes);
}

const MULTI_CYCLE_HEAD = '"Time","Signal","Smax","Analyte_concentration_micromolar_constant"\n';

function createMultiCycle(bytes: number): Buffer {
  return fillBuffer(MULTI_CYCLE_HEAD, (i) => `${i},1,5,1\n`, bytes);
}

function createMelts(bytes: number): Buffer {
  const wells = ['A1', 'A2', 'A3', 'A4'];
  const head = [
    '# assayer-melts: 1',
    'well,role,sample,replicate,concentration_m,concentration_ng_per_ul',
    ...wells.map((well) => `${well},sample,μ-${well},1,,`),
    '',
    'well,channel,temperature_c,signal',
    '',
  ].join('\n');
  const perWell = Math.floor(bytes / wells.length / 22);
  const line = (i: number): string => {
    const well = wells[Math.min(3, Math.floor(i / perWell))];
    return `${well},dye,${(20 + (70 * (i % perWell)) / perWell).toFixed(6)},${i % 10}\n`;
  };
  return fillBuffer(head, (i) => (i < wells.length * perWell ? line(i) : null), bytes);
}

function createColumns(bytes: number, cells: number, separator: string): Buffer {
  const width = 400;
  const head = ['Temperature', ...Array.from({ length: width - 1 }, (_, i) => `w${i}`)].join(separator);
  const rows = Math.floor(cells / width) - 1;
  const row = (i: number): string =>
    `${(20 + (70 * i) / rows).toFixed(5)}${`${separator}1234.5678`.repeat(width - 1)}\n`;
  return fillBuffer(`${head}\n`, (i) => (i < rows ? row(i) : null), bytes);
}

function createXyText(bytes: number, cells: number): Buffer {
  const pairs = 200;
  const head = Array.from({ length: pairs }, (_, i) => `Cycle: ${i} μ 1 nM_X\tCycle: ${i} μ 1 nM_Y`).join(
    '\t',
  );
  const rows = Math.floor(cells / (2 * pairs)) - 1;
  const row = (i: number): string =>
    `${Array.from({ length: pairs }, () => `${i}\t0.12345678`).join('\t')}\n`;
  return fillBuffer(`${head}\n`, (i) => (i < rows ? row(i) : null), bytes);
}

function createQuantStudio(bytes: number): Buffer {
  const head = [
    '* Instrument Type = QuantStudio 3',
    '',
    '[Melt Curve Raw Data]',
    'Well Position\tReading\tTemperature\tFluorescence',
    '',
  ].join('\n');
  const readings = Math.floor(bytes / 24);
  return fillBuffer(
    head,
    (i) => `A1\t${i + 1}\t${(20 + (70 * i) / readings).toFixed(6)}\t${i % 10}\n`,
    bytes,
  );
}

function createMx3005p(bytes: number): Buffer {
  const readings = Math.floor(bytes / 28);
  return fillBuffer(
    'C:\\run.mxp\nSegment  2 Plateau  1 Well  1\n',
    (i) => `\t${i + 1}\t1\t${(20 + (70 * i) / readings).toFixed(6)}\t\n`,
    bytes,
  );
}

function createReaderBlocks(bytes: number, blocks: number): Buffer {
  const numbers = `,${Array.from({ length: 24 }, (_, i) => i + 1).join(',')}\n`;
  const rows = Array.from('ABCDEFGHIJKLMNOP', (letter) => `${letter}${',12345'.repeat(24)}\n`).join('');
  return fillBuffer('Instrument,μ\n', (i) => (i < blocks ? `\nread ${i}\n${numbers}${rows}` : null), bytes);
}

function createFrd(points: number): string {
  const floats = Float32Array.from({ length: points }, (_, i) => i);
  const base64 = Buffer.from(floats.buffer).toString('base64');
  const step = (type: string): string =>
    `<Step><CommonData><SampleID>μ</SampleID><MolarConcentration>50</MolarConcentration><MolarConcUnits>nM</MolarConcUnits></CommonData><StepType>${type}</StepType><AssayXData Points="${points}">${base64}</AssayXData><AssayYData Points="${points}">${base64}</AssayYData></Step>`;
  return `<?xml version="1.0"?>\n<ExperimentResults><ExperimentInfo><SensorName>A1</SensorName></ExperimentInfo><KineticsData>${step('ASSOC')}</KineticsData></ExperimentResults>`;
}

function createGatorFolder(bytesPerChannel: number): InputFile {
  const samples = Math.floor(bytesPerChannel / 14);
  const channel = fillBuffer(
    'FinalValue,Time,SMax\n',
    (i) => (i < samples ? `0.1,${i},1\n` : null),
    bytesPerChannel,
  );
  const steps = ['[Experiment]', 'Num=1', '[Experiment1]', `Step1=0,0,${samples - 1},2`, 'Num=1', ''];
  const wells = Array.from({ length: 8 }, (_, i) => `Well${i + 1}=4,-1,-1,-1,,EGFR`);
  const setting = ['[SampleKinetics]', ...wells, 'MolarConcentrationUnit=NM', ''];
  return createZip([
    toFile('run/ExperimentStep.ini', steps.join('\n')),
    toFile('run/Setting.ini', setting.join('\n')),
    ...Array.from({ length: 8 }, (_, i) => ({ name: `run/Assay_1_Channel${i + 1}.csv`, bytes: channel })),
  ]);
}

function createWorkbookFile(sheets: Record<string, readonly (readonly (string | number)[])[]>): InputFile {
  return createZip(createWorkbookParts(sheets));
}

function createPrometheusBook(cells: number): InputFile {
  const width = 100;
  const rows = Math.floor(cells / width);
  return createWorkbookFile({
    Ratio: [
      ['Time [s]', 'Temperature [°C] μ', ...Array.from({ length: width - 2 }, () => 'Fluorescence')],
      ...Array.from({ length: rows - 1 }, (_, i) => [
        i,
        20 + (70 * i) / rows,
        ...Array.from({ length: width - 2 }, () => 0.12345678),
      ]),
    ],
  });
}

function createUncleBook(cells: number): InputFile {
  const width = 200;
  const rows = Math.floor(cells / width) - 2;
  return createWorkbookFile({
    A1: [
      ['', '', '', 'Sample Name', 'design μ'],
      ['', ...Array.from({ length: width - 1 }, (_, i) => `Temp :${20 + i / 4}, Time:${50 * i}`)],
      ...Array.from({ length: rows }, (_, k) => [
        200 + k / 10,
        ...Array.from({ length: width - 1 }, () => 1234.5678),
      ]),
    ],
  });
}

/** Text that is legal nowhere and costs a reader most that believes it. */
function listHostile(plate: Buffer): [string, Door, Uint8Array, RegExp][] {
  const file = LIMITS.fileBytes;
  const ending = (tail: number[]): Buffer =>
    Buffer.concat([plate.subarray(0, file - tail.length), Buffer.from(tail)]);
  const repeatText = (head: string, text: string): Buffer => {
    const start = Buffer.from(head);
    const times = Math.floor((file - start.length) / Buffer.byteLength(text));
    return Buffer.concat([start, Buffer.alloc(times * Buffer.byteLength(text), text)]);
  };
  const steps = (i: number): string => `T1,${i % 2 === 0 ? 'baseline' : 'association'},${i},0\n`;
  const parts = createWorkbookParts({
    A: [
      ['Temperature', 'A1'],
      [25, 1],
    ],
  });
  const shared = parts.findIndex(({ name }) => name.endsWith('sharedStrings.xml'));
  const texts = { name: 'xl/sharedStrings.xml', bytes: repeatText('<sst>', '<si><t>μ</t></si>') };
  const zeros = { name: 'a.csv', bytes: Buffer.alloc(file) };
  const many = Array.from({ length: 8 }, (_, i) => ({ ...zeros, name: `${i}.csv` }));
  return [
    ['zero-byte.csv', 'traces', ending([0, 10]), /zero byte/],
    ['not-utf8.csv', 'traces', ending([0xff, 10]), /not UTF-8/],
    ['one-line.csv', 'traces', repeatText(TRACES_HEAD, 'T1,'), /a line of at most/],
    ['one-line-table.csv', 'wells', repeatText('Temperature,', '1,'), /a line of at most/],
    ['steps.csv', 'traces', fillBuffer(TRACES_HEAD, steps, file), /at most \d+ steps/],
    [
      'head.csv',
      'traces',
      fillBuffer('# assayer-traces: 1\n', (i) => `# ${i}: μ\n`, file),
      /lines in the head/,
    ],
    [
      'curves.csv',
      'traces',
      fillBuffer(MULTI_CYCLE_HEAD, (i) => `${-i},1,5,1\n`, file),
      /at most \d+ curves/,
    ],
    [
      'wells.txt',
      'wells',
      fillBuffer('Segment 2 Plateau 1 Well 0\n', (i) => `Segment 2 Plateau 1 Well ${i + 1}\n`, file),
      /at most \d+ wells/,
    ],
    ['cells.csv', 'wells', repeatText('Temperature,A1\n', '1,2\n'), /at most \d+ cells/],
    ['elements.frd', 'traces', repeatText('<ExperimentResults>', '<a/>'), /at most \d+ elements/],
    ['texts.xlsx', 'wells', createZip(parts.with(shared, texts)).bytes, /at most \d+ elements/],
    ['bomb.zip', 'wells', createZip([zeros]).bytes, /zero byte/],
    ['bombs.zip', 'wells', createZip(many).bytes, /bytes unpacked/],
    ['claim.zip', 'traces', createZip([zeros], 8, 2 ** 31).bytes, /at most \d+ bytes/],
    ['too-long.csv', 'wells', Buffer.alloc(file + 1, '1'), /at most \d+ bytes/],
  ];
}

/** As much as is read. */
function listLargest(plate: Buffer): [string, Door, Uint8Array, RegExp | null][] {
  const file = LIMITS.fileBytes;
  const cells = CELLS_MAX - 10_000;
  const plates = Array.from({ length: 4 }, (_, i) => ({ name: `${i}.csv`, bytes: plate }));
  const points = Math.floor((file - 4_000) / 32) * 3;
  return [
    ['traces.csv', 'traces', plate, null],
    ['octet.txt', 'traces', createOctetText(file, Math.floor(file / 16)), null],
    ['cycles.csv', 'traces', createMultiCycle(file), null],
    ['curves.txt', 'traces', createXyText(file, cells), null],
    ['sensor.frd', 'traces', Buffer.from(createFrd(points)), null],
    ['gator.zip', 'traces', createGatorFolder(GATOR_CHANNEL_BYTES).bytes, /at most \d+ points/],
    ['plates.zip', 'traces', createZip(plates).bytes, /at most \d+ points/],
    ['melts.csv', 'wells', createMelts(file), null],
    ['table.csv', 'wells', createColumns(file, cells, ','), null],
    ['quantstudio.txt', 'wells', createQuantStudio(file), null],
    ['mx.txt', 'wells', createMx3005p(file), null],
    ['reader.csv', 'wells', createReaderBlocks(file, Math.floor(LIMITS.readings / 384)), null],
    ['prometheus.xlsx', 'wells', createPrometheusBook(cells).bytes, null],
    ['uncle.xlsx', 'wells', createUncleBook(cells).bytes, null],
  ];
}

/** Writes them below `directory`. */
export function createLargeUploads(directory: string): LargeUpload[] {
  const plate = createTraces(LIMITS.fileBytes);
  return [...listLargest(plate), ...listHostile(plate)].map(([name, door, bytes, refused]) => {
    const path = join(directory, name);
    writeFileSync(path, bytes);
    return { name, path, door, refused };
  });
}
