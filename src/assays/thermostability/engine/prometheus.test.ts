/** Layouts of Prometheus exports: the sample of each capillary, and the temperatures of each signal. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { analyzeHere } from '#analysis/assays/assay.ts';
import { thermostability } from './assay.ts';
import { createWorkbook } from '#testing/analysis/archive.ts';
import { toFile } from '#testing/analysis/synthetic.ts';
import type { MeltSet } from '#analysis/curves/trace.ts';
import { parseMelts } from '#analysis/formats/parse-wells.ts';
import type { InputFile } from '#analysis/formats/reading/input-file.ts';

const TEMPERATURES = Array.from({ length: 141 }, (_, i) => 25 + 0.5 * i);
const TM_C = [55, 63.5, 71];
type Cell = string | number;

/** Two-state unfolding with 100 kcal/mol and flat baselines. */
function computeRatioAt(t: number, tmC: number): number {
  return 0.8 + 0.4 / (1 + Math.exp((100 / 1.987e-3) * (1 / (t + 273.15) - 1 / (tmC + 273.15))));
}

function read(file: InputFile): MeltSet {
  return parseMelts([file])[0];
}

/** Returns wells, samples and channels, and the Tm of each ratio. */
function readMelts(file: InputFile): { who: string[]; tmC: number[] } {
  const who = read(file).traces.map(({ well, sample, channel }) => `${well} ${sample} ${channel}`);
  const { found } = analyzeHere(thermostability, { files: [file] });
  return { who, tmC: found.sequences.map(({ tm }) => Number((tm?.value ?? Number.NaN).toFixed(1))) };
}

/** Writes one pair of time and temperature columns for all capillaries; a light is the same at every temperature. */
function createSharedSheet(titles: readonly Cell[], light: number | null = null): Cell[][] {
  return [
    ['', '', ...titles],
    ['Time [s]', 'Temperature [°C]', ...TM_C.map(() => 'Fluorescence')],
    ...TEMPERATURES.map((t, i) => [30 * i, t, ...TM_C.map((tm) => light ?? computeRatioAt(t, tm))]),
  ];
}

/** Writes time, temperature and signal columns for each capillary, ending at different rows. */
function createOwnSheet(titles: readonly string[], signal = 'Ratio'): Cell[][] {
  return [
    titles.flatMap((title): Cell[] => [title, '', '']),
    titles.flatMap(() => ['Time [s]', 'Temperature [°C]', signal]),
    ...TEMPERATURES.map((t, i) =>
      TM_C.slice(0, titles.length).flatMap((tm, k): Cell[] =>
        i > TEMPERATURES.length - 1 - k
          ? ['', '', '']
          : [30 * i + k, t + 0.1 * k, computeRatioAt(t + 0.1 * k, tm)],
      ),
    ),
  ];
}

const formatRows = (rows: readonly Cell[][], separator: string, decimal = '.'): string =>
  rows
    .map((cells) => cells.map((cell) => String(cell).replace('.', typeof cell === 'number' ? decimal : '.')))
    .map((cells) => `${cells.join(separator)}\r\n`)
    .join('');

const NUMBERED = ['#1 (design-1)', '#2 (design-2)', '#4 (design-4)'];
const OWN = ['Cap.1 design-1 ratio', 'Cap.2 design-2 ratio', 'Cap.4 design-4 ratio'];

describe('workbooks', () => {
  test('Prometheus workbook: names over the columns, no overview → the names', () => {
    const titles = ['design-1', 'design-2', 'design-3'];
    const { who, tmC } = readMelts(
      createWorkbook({ Ratio: createSharedSheet(titles), '330nm': createSharedSheet(titles, 9_000) }),
    );
    const expected = ['ratio', '330nm'].flatMap((channel) =>
      titles.map((name, i) => `Cap.${i + 1} ${name} ${channel}`),
    );
    assert.deepEqual(who, expected);
    assert.deepEqual(tmC, TM_C);
  });

  test('Prometheus workbook: time, temperature and signal for each capillary → numbered by place', () => {
    const { who, tmC } = readMelts(createWorkbook({ Ratio: createOwnSheet(NUMBERED) }));
    assert.deepEqual(who, OWN);
    assert.deepEqual(tmC, TM_C);
    const [first, second] = read(createWorkbook({ Ratio: createOwnSheet(NUMBERED) })).traces;
    assert.deepEqual([first.temperatureC.length, second.temperatureC.length], [141, 140]);
    assert.deepEqual([first.temperatureC[0], second.temperatureC[0]], [25, 25.1]);
  });

  test('Prometheus workbook: numbered capillaries without names → the names of the overview', () => {
    const Overview = [
      ['Capillary', 'Sample ID'],
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
      [4, 'd'],
    ];
    const { who } = readMelts(
      createWorkbook({ Overview, Ratio: createOwnSheet(['#1', '#2', 'Capillary #4']) }),
    );
    assert.deepEqual(who, ['Cap.1 a ratio', 'Cap.2 b ratio', 'Cap.4 d ratio']);
    const plain = readMelts(
      createWorkbook({ Overview, Ratio: createSharedSheet(['Capillary 1', 'Capillary 2', 'Capillary 3']) }),
    );
    assert.deepEqual(plain.who, ['Cap.1 a ratio', 'Cap.2 b ratio', 'Cap.3 c ratio']);
  });

  test('Prometheus workbook: sheets of one signal under several names → read; derivatives and refolding → not', () => {
    const names = [
      'Ratio',
      '330nm (Unfolding)',
      ' 350nm ',
      'Scattering',
      '330nm (1st deriv.)',
      '350nm (Refolding)',
    ];
    const set = read(
      createWorkbook(Object.fromEntries(names.map((name) => [name, createSharedSheet(['a', 'b', 'c'])]))),
    );
    assert.deepEqual(
      [...new Set(set.traces.map(({ channel }) => channel))],
      ['ratio', '330nm', '350nm', 'scattering'],
    );
    assert.deepEqual(set.notices, [
      'Sheet 330nm (1st deriv.) is not read.',
      'Sheet 350nm (Refolding) is not read.',
    ]);
    const other = read(
      createWorkbook({
        F330: createSharedSheet(['a', 'b', 'c']),
        '330nm 350nm ratio': createSharedSheet(['a', 'b', 'c']),
      }),
    );
    assert.deepEqual([...new Set(other.traces.map(({ channel }) => channel))], ['330nm', 'ratio']);
  });

  test('Prometheus workbook: refolding columns, or a capillary without readings → left out with a notice', () => {
    const both = createSharedSheet(['a', 'b', 'c']).map((row, i) => {
      const back = computeRatioAt(95 - 0.5 * (i - 2), 60);
      return [
        ...row,
        ...(i === 0
          ? ['', '', 'a']
          : i === 1
            ? ['Time [s]', 'Temperature [°C]', 'Fluorescence']
            : [1e4 + i, 95 - 0.5 * (i - 2), back]),
      ];
    });
    const set = read(createWorkbook({ Ratio: both }));
    assert.equal(set.traces.length, 3);
    assert.match(set.notices.join(), /curves of falling temperature \(refolding\) are not read/);
    const gap = createSharedSheet(['a', 'b', 'c']).map((row, i) => (i < 2 ? row : row.with(3, '')));
    const without = read(createWorkbook({ Ratio: gap }));
    assert.deepEqual(
      without.traces.map(({ sample }) => sample),
      ['a', 'c'],
    );
    assert.match(without.notices.join(), /without readings are Cap\.2/);
  });

  test('Prometheus Data Export: columns per capillary → the names of the overview', () => {
    const heads = [1, 2, 3].flatMap((n) => [
      `Temperature for Cap.${n} (°C)`,
      `Ratio 350 nm / 330 nm for Cap.${n}`,
    ]);
    const rows = TEMPERATURES.map((t) => TM_C.flatMap((tm) => [t, computeRatioAt(t, tm)]));
    const Overview = [['Sample ID'], ['x'], [''], ['z']];
    const { who } = readMelts(createWorkbook({ Overview, 'Data Export': [heads, ...rows] }));
    assert.deepEqual(who, ['Cap.1 x ratio', 'Cap.2 Cap.2 ratio', 'Cap.3 z ratio']);
  });
});

describe('text', () => {
  for (const [separator, decimal] of [
    [';', ','],
    [';', '.'],
    ['\t', ','],
    ['\t', '.'],
    [',', '.'],
  ] as const) {
    const name = `${separator === '\t' ? 'tabs' : separator} with decimal ${decimal}`;
    test(`Prometheus text: ${name}, both layouts → read like the workbook`, () => {
      const per = readMelts(toFile('Ratio.csv', formatRows(createOwnSheet(NUMBERED), separator, decimal)));
      assert.deepEqual(per, { who: OWN, tmC: TM_C });
      const one = readMelts(
        toFile('export.csv', formatRows(createSharedSheet(['a', 'b', 'c']), separator, decimal)),
      );
      assert.deepEqual(one, {
        who: ['Cap.1 a fluorescence', 'Cap.2 b fluorescence', 'Cap.3 c fluorescence'],
        tmC: TM_C,
      });
    });
  }

  test('Prometheus text: wells as titles → the signal from the title or the file name', () => {
    const rows = createSharedSheet(['', '', ''])
      .slice(1)
      .map((row, i) => (i === 0 ? [...row.slice(0, 2), 'A1', 'a02', 'B1'] : row));
    assert.deepEqual(readMelts(toFile('run_350nm.csv', formatRows(rows, ','))).who, [
      'A1 A1 350nm',
      'A2 A2 350nm',
      'B1 B1 350nm',
    ]);
    const titled = createOwnSheet(NUMBERED, 'Fluorescence 330 nm [counts]');
    assert.deepEqual(
      read(toFile('x.csv', formatRows(titled, ';'))).traces.map(({ channel }) => channel),
      ['330nm', '330nm', '330nm'],
    );
  });

  test('Prometheus text: a signal without temperature, another unit, a gap or a cut → refused with line and column', () => {
    const refused: [from: string, to: string, message: RegExp][] = [
      [
        'Temperature [°C];Ratio;Time [s];Temperature [°C]',
        'Temperature [°C];Ratio;Time [s];Ratio',
        /line 2, column \d+: expected a temperature before the signal/,
      ],
      ['Temperature [°C]', 'Temperature [K]', /line 2, column \d+: expected temperatures in °C/],
      [';25.5;', ';;', /line 4, column \d+: expected a temperature in °C, a finite number, found nothing/],
      [';26;', ';25;', /line 5, column \d+: expected a temperature above 25\.5 °C/],
    ];
    for (const [from, to, message] of refused) {
      const content = formatRows(createOwnSheet(NUMBERED), ';');
      assert.ok(content.includes(from), from);
      assert.throws(() => read(toFile('Ratio.csv', content.replace(from, to))), message);
    }
  });
});
