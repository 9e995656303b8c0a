/** One small sound upload of every format, for tests that damage them. */
import type { InputFile } from '#analysis/formats/text.ts';
import { workbook, zip } from './archive.ts';
import type { Door } from './parse-worker.ts';
import { toFile } from './synthetic.ts';

export interface SampleUpload {
  name: string;
  door: Door;
  /** The first is the one to damage. */
  files: InputFile[];
  /** A number of the text that can be replaced by something that is none; null for binary files. */
  number: string | null;
}

const TEMPERATURES = Array.from({ length: 24 }, (_, i) => 25 + 2.5 * i);

function signalAt(t: number, well: number): number {
  return Number((1000 + 100 * well + 800 / (1 + Math.exp((60 - t) / 2))).toFixed(3));
}

function float32(values: readonly number[]): string {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeFloatLE(value, 4 * i);
  return bytes.toString('base64');
}

function frdStep(type: string, sample: string, from: number): string {
  const x = Array.from({ length: 12 }, (_, i) => from + 0.5 * i);
  const y = x.map((t) => 0.01 * t);
  const common = `<CommonData><SampleID>${sample}</SampleID><Concentration>1</Concentration><MolarConcentration>50</MolarConcentration><MolarConcUnits>nM</MolarConcUnits></CommonData>`;
  return `<Step>${common}<StepType>${type}</StepType><AssayXData Points="12">${float32(x)}</AssayXData><AssayYData Points="12">${float32(y)}</AssayYData></Step>`;
}

export function frd(): string {
  const steps = ['BASELINE', 'LOADING', 'BASELINE', 'ASSOC', 'DISASSOC', 'KREGENERATION'];
  const xml = steps.map((type, i) => frdStep(type, type === 'LOADING' ? 'ligand' : 'mAb', 10 * i));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<ExperimentResults><ExperimentInfo><SensorName>A1</SensorName><InstrumentType>Octet</InstrumentType></ExperimentInfo>\n<KineticsData>${xml.join('\n')}</KineticsData></ExperimentResults>`;
}

export function xyText(): string {
  const header = [
    'Cycle: 1 mAb 50 nM_X',
    'Cycle: 1 mAb 50 nM_Y',
    'Cycle: 2 mAb 0.1 µM_X',
    'Cycle: 2 mAb 0.1 µM_Y',
  ];
  const rows = Array.from({ length: 20 }, (_, i) => [
    i - 5,
    0.5 * i,
    ...(i < 18 ? [i - 5, 0.75 * i] : ['', '']),
  ]);
  return [header, ...rows].map((cells) => `${cells.join('\t')}\r\n`).join('');
}

export function temperatureTable(separator = ',', decimal = '.'): string {
  const rows = TEMPERATURES.map((t) => [t, ...[0, 1, 2].map((well) => signalAt(t, well))]);
  const lines = rows.map((cells) =>
    cells.map((value) => String(value).replace('.', decimal)).join(separator),
  );
  return [['Temperature', 'A1', 'A2', 'B1'].join(separator), ...lines, ''].join('\n');
}

function prometheusColumns(): string {
  const caps = ['Cap.1', 'Cap.2'];
  const header = caps.flatMap((cap) =>
    ['Ratio 350 nm / 330 nm', '330 nm'].flatMap((signal) => [
      `Temperature for ${cap} (°C)`,
      `${signal} for ${cap} `,
    ]),
  );
  const rows = TEMPERATURES.map((t) =>
    caps.flatMap((_, k) => [t + 0.01 * k, signalAt(t, k) / 1000, t + 0.01 * k, signalAt(t, k)]),
  );
  return [header, ...rows].map((cells) => `${cells.join(';')}\r\n`).join('');
}

function quantStudio(): string {
  const head = ['* Block Type = 96-Well', '* Instrument Type = QuantStudio 3', '', '[Melt Curve Raw Data]'];
  const columns = 'Well\tWell Position\tReading\tTemperature\tFluorescence\tTarget Name';
  const rows = ['A1', 'A2'].flatMap((well, k) =>
    TEMPERATURES.map((t, i) => {
      const signal = signalAt(t, k)
        .toFixed(3)
        .replace(/^(\d+)(\d{3}\.)/, '$1,$2');
      return `${k + 1}\t${well}\t${i + 1}\t${t.toFixed(3)}\t${signal}\tTarget 1`;
    }),
  );
  return [...head, columns, ...rows, ''].join('\r\n');
}

function mx3005p(): string {
  const blocks = [1, 2].flatMap((well) => [
    `Segment  2 Plateau  1 Well  ${well}`,
    '      \t   ROX\t\t\t',
    ...TEMPERATURES.map(
      (t, i) => `      \t  ${i + 1}\t  ${Math.round(signalAt(t, well))}\t ${t.toFixed(1)}\t`,
    ),
  ]);
  return ['C:\\run.mxp', ...blocks, ''].join('\r\n');
}

function readerBlocks(): string {
  const header = ['', ...Array.from({ length: 12 }, (_, i) => i + 1)].join(',');
  const block = (value: (r: number, c: number) => string): string[] => [
    header,
    ...Array.from('ABCDEFGH', (letter, r) =>
      [letter, ...Array.from({ length: 12 }, (_, c) => value(r, c))].join(','),
    ),
    '',
  ];
  return [
    'Instrument,Reader',
    '',
    'Fluorescence 485/520 gain 80',
    ...block((r, c) => (r + c === 0 ? 'OVER' : `${1000 + 100 * r + c}`)),
    'sample',
    ...block((r, c) => (c === 11 ? 'Buffer' : `design-${r + 1}`)),
  ].join('\n');
}

export function prometheusBook(): InputFile {
  const signal = (scale: number): (string | number)[][] => [
    ['', '', 'Capillary 1', 'Capillary 2'],
    ['Time [s]', 'Temperature [°C]', 'Fluorescence', 'Fluorescence'],
    ...TEMPERATURES.map((t, i) => [10 * i, t, scale * signalAt(t, 0), scale * signalAt(t, 1)]),
  ];
  return workbook({
    Overview: [
      ['Capillary', 'Sample ID'],
      [1, 'design-1'],
      [2, 'design-2'],
    ],
    Ratio: signal(0.001),
    'Ratio (1st deriv.)': signal(0.0001),
    '330nm (Unfolding)': signal(1),
    '330nm (Refolding)': signal(2),
  });
}

function uncleBook(): InputFile {
  const wavelengths = [310, 330, 350, 370];
  return workbook({
    A1: [
      ['', '', '', 'Sample Name', 'design-1'],
      ['', ...TEMPERATURES.map((t, i) => `Temp :${t}, Time:${50 * i}`)],
      ['Wavelength', ...TEMPERATURES.map(() => 'Intensity')],
      ...wavelengths.map((nm, k) => [nm, ...TEMPERATURES.map((t) => signalAt(t, k))]),
    ],
  });
}

const WELL_HEADER = 'well,role,sample,replicate,concentration_m,concentration_ng_per_ul';

function ownMelts(): string {
  const rows = ['A1', 'H1'].flatMap((well, k) =>
    TEMPERATURES.map((t) => `${well},dye,${t},${signalAt(t, k)}`),
  );
  const wells = ['A1,sample,design-1,1,,', 'H1,positive_control,lysozyme,1,,'];
  return [
    '# assayer-melts: 1',
    '# plate: P1',
    WELL_HEADER,
    ...wells,
    '',
    'well,channel,temperature_c,signal',
    ...rows,
    '',
  ].join('\n');
}

function ownPlate(): string {
  const wells = Array.from({ length: 8 }, (_, i) => `A${i + 1}`);
  return [
    '# assayer-plate: 1',
    '# unit: RFU',
    WELL_HEADER,
    ...wells.map((well, i) => `${well},sample,design-${i + 1},1,,`),
    '',
    'well,channel,ex_nm,em_nm,gain,value',
    ...wells.map((well, i) => `${well},fluorescence,485,520,80,${15230 + i}`),
    '',
  ].join('\n');
}

function ownTraces(): string {
  const steps = ['baseline', 'loading', 'association', 'dissociation'];
  const rows = ['T1', 'T2'].flatMap((trace) =>
    steps.flatMap((step, k) =>
      Array.from({ length: 6 }, (_, i) => `${trace},${step},${10 * k + 1.5 * i},${0.125 * (k + 1) * i}`),
    ),
  );
  return [
    '# assayer-traces: 1',
    '# technique: bli',
    '# signal_unit: nm',
    '# plate: P1',
    '',
    'trace,well,role,sample,replicate,concentration_m',
    'T1,A01,sample,design-1,1,1e-7',
    'T2,H01,reference,,1,0',
    '',
    'trace,step,time_s,signal',
    ...rows,
    '',
  ].join('\n');
}

function octetText(): string {
  const head = ['Conc1\t1E-06\t', 'Start1\t360\t', 'Stop1\t369.5\t', 'Kobs\t1\t', 'Time1\tData1\tFit1\t'];
  const rows = Array.from({ length: 20 }, (_, i) => `${360 + 0.5 * i}\t${0.025 * i}\t${0.025 * i}\t`);
  return [...head, ...rows, ''].join('\r\n');
}

function multiCycle(): string {
  const cycle = (micromolar: number) =>
    Array.from({ length: 12 }, (_, i) => `${i},${1.25 * Math.min(i, 12 - i)},5,${i < 7 ? micromolar : 0}`);
  return [
    '"Time","Signal","Smax","Analyte_concentration_micromolar_constant"',
    ...cycle(0.1),
    ...cycle(0.2),
    '',
  ].join('\n');
}

/** The channel, the steps and the wells of a run. */
function gatorFiles(): [channel: InputFile, steps: InputFile, setting: InputFile] {
  const steps = [
    '[Experiment]',
    'Num=2',
    '[Experiment1]',
    'Step1=0,0,1,0',
    'Step2=1,1,2,2',
    'Step3=0,2,3,3',
    'Num=3',
    '',
  ];
  const setting = [
    '[BasicInformation]',
    'Frequency=10Hz',
    '[SampleKinetics]',
    'Well1=4,-1,-1,-1,,',
    'Well9=1,17,170,100,,EGFR',
    'MolarConcentrationUnit=NM',
    '',
  ];
  const channel = Array.from({ length: 7 }, (_, i) => `${0.1 * Math.min(i, 7 - i)},${0.5 * i},1,9`);
  return [
    toFile('run/Assay_1_Channel1.csv', ['FinalValue,Time,SMax', ...channel, ''].join('\n')),
    toFile('run/ExperimentStep.ini', steps.join('\n')),
    toFile('run/Setting.ini', setting.join('\n')),
  ];
}

/** A time and a temperature for each capillary, in the text of a spreadsheet of half of Europe. */
function prometheusTimes(): string {
  const caps = ['#1 (design-1)', '#2 (design-2)'];
  const rows: (string | number)[][] = [
    caps.flatMap((cap) => [cap, '', '']),
    caps.flatMap(() => ['Time [s]', 'Temperature [°C]', 'Ratio']),
    ...TEMPERATURES.map((t, i) => caps.flatMap((_, k) => [10 * i, t + 0.01 * k, signalAt(t, k) / 1000])),
  ];
  const cell = (value: string | number): string =>
    typeof value === 'number' ? String(value).replace('.', ',') : value;
  return rows.map((cells) => `${cells.map(cell).join(';')}\r\n`).join('');
}

function plateMap(): string {
  const columns = Array.from({ length: 12 }, (_, i) => i + 1);
  const block = (name: string, cell: (r: number, c: number) => string): string[] => [
    [name, ...columns].join(','),
    ...Array.from('ABCDEFGH', (letter, r) => [letter, ...columns.map((_, c) => cell(r, c))].join(',')),
    '',
  ];
  const names = block('sample', (r, c) => (c === 11 ? 'Buffer' : `design-${r + 1}`));
  return [...names, ...block('concentration (nM)', (r, c) => String(12.5 * (r + 1) + c)), ''].join('\n');
}

/** The cells of a text, numbers as numbers, in a workbook. */
function asWorkbook(text: string, sheet: string): InputFile {
  const rows = text
    .split('\n')
    .map((line) =>
      line.split(',').map((cell) => (cell === '' || Number.isNaN(Number(cell)) ? cell : Number(cell))),
    );
  return workbook({ [sheet]: rows }, `${sheet}.xlsx`);
}

/** One small upload of every format. */
export function sampleUploads(): SampleUpload[] {
  const text = (name: string, door: Door, content: string, number: string): SampleUpload => {
    return { name, door, files: [toFile(name, content)], number };
  };
  const [channel, steps, setting] = gatorFiles();
  const table = toFile('table.csv', temperatureTable());
  return [
    text('sensor.frd', 'traces', frd(), '50'),
    text('curves.txt', 'traces', xyText(), '0.75'),
    text('traces.csv', 'traces', ownTraces(), '0.125'),
    text('octet.txt', 'traces', octetText(), '0.025'),
    text('cycles.csv', 'traces', multiCycle(), '1.25'),
    text('melts.csv', 'wells', ownMelts(), '27.5'),
    text('plate.csv', 'wells', ownPlate(), '15231'),
    text('table.csv', 'wells', temperatureTable(), '27.5'),
    text('komma.csv', 'wells', temperatureTable(';', ','), '27,5'),
    text('scan.csv', 'wells', prometheusColumns(), '27.51'),
    text('quantstudio.txt', 'wells', quantStudio(), '27.500'),
    text('mx.txt', 'wells', mx3005p(), '27.5'),
    text('reader.csv', 'wells', readerBlocks(), '1001'),
    text('times.csv', 'wells', prometheusTimes(), '27,51'),
    { name: 'map.csv', door: 'wells', files: [toFile('map.csv', plateMap()), table], number: '12.5' },
    { name: 'channel.csv', door: 'traces', files: [channel, steps, setting], number: '0.2,1' },
    { name: 'steps.ini', door: 'traces', files: [steps, channel, setting], number: '1,1,2' },
    { name: 'wells.ini', door: 'traces', files: [setting, channel, steps], number: '100' },
    { name: 'prometheus.xlsx', door: 'wells', files: [prometheusBook()], number: null },
    { name: 'gator.zip', door: 'traces', files: [zip([channel, steps, setting])], number: null },
    { name: 'uncle.xlsx', door: 'wells', files: [uncleBook()], number: null },
    { name: 'table.xlsx', door: 'wells', files: [asWorkbook(temperatureTable(), 'table')], number: null },
    { name: 'reader.xlsx', door: 'wells', files: [asWorkbook(readerBlocks(), 'reader')], number: null },
  ];
}
