/** Small valid uploads, mostly the samples beside the parsers, for tests that damage them. */
import { readFileSync } from 'node:fs';
import type { InputFile } from '#analysis/formats/reading/input-file.ts';
import { createWorkbook, createZip } from './archive.ts';
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

export function readSample(format: string, name: string): InputFile {
  const bytes = readFileSync(
    new URL(`../../../src/analysis/formats/${format}/sample/${name}`, import.meta.url),
  );
  return { name, bytes: new Uint8Array(bytes) };
}

export function readSampleText(format: string, name: string): string {
  return new TextDecoder().decode(readSample(format, name).bytes);
}

export function createTemperatureTable(separator = ',', decimal = '.'): string {
  const table = readSampleText('temperature-wells', 'table.csv');
  return table.replaceAll(',', separator).replaceAll('.', decimal);
}

/** The cells of a text, numbers as numbers, in a workbook. */
function asWorkbook(text: string, sheet: string): InputFile {
  const rows = text
    .split('\n')
    .map((line) =>
      line.split(',').map((cell) => (cell === '' || Number.isNaN(Number(cell)) ? cell : Number(cell))),
    );
  return createWorkbook({ [sheet]: rows }, `${sheet}.xlsx`);
}

/** Returns one small upload for each layout that a parser reads. */
export function sampleUploads(): SampleUpload[] {
  const text = (format: string, name: string, door: Door, number: string): SampleUpload => {
    return { name, door, files: [readSample(format, name)], number };
  };
  const book = (door: Door, file: InputFile): SampleUpload => {
    return { name: file.name, door, files: [file], number: null };
  };
  const [channel, steps, setting] = ['Assay_1_Channel1.csv', 'ExperimentStep.ini', 'Setting.ini'].map(
    (name): InputFile => ({ ...readSample('gator', name), name: `run/${name}` }),
  );
  const table = toFile('table.csv', createTemperatureTable());
  const reader = readSampleText('plate-blocks', 'reader.csv');
  return [
    text('octet-frd', 'sensor.frd', 'traces', '50'),
    text('xy-text', 'curves.txt', 'traces', '0.75'),
    text('assayer-traces', 'traces.csv', 'traces', '0.125'),
    text('octet-text', 'octet.txt', 'traces', '0.025'),
    text('multi-cycle-csv', 'cycles.csv', 'traces', '1.25'),
    text('assayer-melts', 'melts.csv', 'wells', '27.5'),
    text('assayer-plate', 'plate.csv', 'wells', '15231'),
    text('temperature-wells', 'table.csv', 'wells', '27.5'),
    {
      name: 'decimal-comma.csv',
      door: 'wells',
      files: [toFile('decimal-comma.csv', createTemperatureTable(';', ','))],
      number: '27,5',
    },
    text('prometheus', 'scan.csv', 'wells', '27.51'),
    text('quantstudio', 'quantstudio.txt', 'wells', '27.500'),
    text('mx3005p', 'mx.txt', 'wells', '27.5'),
    text('plate-blocks', 'reader.csv', 'wells', '1001'),
    text('prometheus', 'times.csv', 'wells', '27,51'),
    { name: 'map.csv', door: 'wells', files: [readSample('plate-map', 'map.csv'), table], number: '12.5' },
    {
      name: 'plate-list.csv',
      door: 'wells',
      files: [readSample('plate-list', 'plate-list.csv'), table],
      number: '1e-7',
    },
    { name: 'channel.csv', door: 'traces', files: [channel, steps, setting], number: '0.2,1' },
    { name: 'steps.ini', door: 'traces', files: [steps, channel, setting], number: '1,1,2' },
    { name: 'wells.ini', door: 'traces', files: [setting, channel, steps], number: '100' },
    book('wells', readSample('prometheus', 'prometheus.xlsx')),
    { name: 'gator.zip', door: 'traces', files: [createZip([channel, steps, setting])], number: null },
    book('wells', readSample('uncle', 'uncle.xlsx')),
    book('wells', asWorkbook(createTemperatureTable(), 'table')),
    book('wells', asWorkbook(reader, 'reader')),
  ];
}
