import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toFile } from '#testing/analysis/synthetic.ts';
import { parseMelts, parsePlates } from './parse-wells.ts';
import { parseTraces } from './parse.ts';
import type { InputFile } from './reading/input-file.ts';

describe('ambiguous numbers and units', () => {
  const blocks = (
    name: string,
    cell: (row: string, column: number) => string,
    separator: string,
  ): InputFile =>
    toFile(
      'reader.txt',
      [
        name,
        ['', ...Array.from({ length: 12 }, (_, i) => `${i + 1}`)].join(separator),
        ...'A B C D E F G H'
          .split(' ')
          .map((row) => [row, ...Array.from({ length: 12 }, (_, i) => cell(row, i + 1))].join(separator)),
        '',
      ].join('\n'),
    );
  const first = (file: InputFile) => parsePlates([file])[0].readings[0].value;

  test('decimal comma: a leading zero, also with three decimals → a decimal mark', () => {
    assert.equal(first(blocks('A280', () => '0,271', '\t')), 0.271);
    assert.equal(first(blocks('A280', (row) => (row === 'A' ? '1,203' : '0,271'), '\t')), 1.203);
  });

  test('thousands: several groups, or a decimal point elsewhere → commas separate thousands', () => {
    const grouped = blocks('485/520', (row) => (row === 'A' ? '12,345' : '1,234,567'), '\t');
    assert.equal(first(grouped), 12_345);
    assert.equal(first(blocks('485/520', (row) => (row === 'A' ? '12,345' : '1.5'), '\t')), 12_345);
  });

  test('decimal comma: a comma that can be either → refused with line and column', () => {
    assert.throws(
      () => parsePlates([blocks('485/520', () => '1,234', '\t')]),
      /line 3, column 3: expected numbers that show whether a comma is the decimal mark .* found "1,234"/,
    );
  });

  test('decimal comma: in a comma-separated file → refused', () => {
    assert.throws(() => parsePlates([blocks('A280', () => '"0,271"', ',')]), /a value of well A1/);
  });

  test('units: absorbance in mAU → thousandths, with a notice', () => {
    const [set] = parsePlates([blocks('A280 (mAU)', () => '271', ',')]);
    assert.equal(set.readings[0].value, 0.271);
    assert.match(set.notices[0], /thousandths/);
  });

  test('units: temperatures in °F or K → refused', () => {
    const melt = (header: string) => toFile('m.csv', `${header},A1,A2\n20.0,1,1\n21.0,1,2\n`);
    assert.equal(parseMelts([melt('Temperature (°C)')])[0].traces.length, 2);
    for (const header of ['Temperature (°F)', 'Temperature [K]', 'T (F)', 'temperature kelvin'])
      assert.throws(
        () => parseMelts([melt(header)]),
        /line 1, column 1: expected temperatures in °C/,
        header,
      );
    const prometheus = 'Temperature for Cap.1 (°F);Ratio 350 nm / 330 nm for Cap.1\n68,0;0,8\n69,0;0,9\n';
    assert.throws(() => parseMelts([toFile('p.csv', prometheus)]), /temperatures in °C/);
  });

  test('X–Y text: concentrations in the titles of curves → read with their units', () => {
    const readConcentrations = (...heads: string[]) => {
      const header = heads.flatMap((head) => [`${head}_X`, `${head}_Y`]).join('\t');
      const rows = ['0', '1', '2'].map((time) => heads.flatMap(() => [time, '0.5']).join('\t'));
      const [set] = parseTraces([toFile('xy.txt', `${[header, ...rows].join('\n')}\n`)]);
      return set.traces.map((trace) => trace.concentrationM);
    };
    assert.deepEqual(readConcentrations('Cycle: 1 d1 2,000 nM', 'Cycle: 2 d1 1,000 nM'), [2e-6, 1e-6]);
    assert.deepEqual(readConcentrations('d1 31.6 nM', 'd1 0,5 µM'), [31.6e-9, 0.5e-6]);
    assert.deepEqual(readConcentrations('d1 100 nM in 150 mM NaCl', 'd1 in buffer'), [null, null]);
  });

  test('encoding: text in UTF-16 → refused by name', () => {
    const file = { name: 'u.csv', bytes: Buffer.from('\uFEFFTemperature,A1\n20,1\n', 'utf16le') };
    assert.throws(() => parseMelts([file]), /found UTF-16 \(save the file as UTF-8\)/);
    assert.throws(() => parseTraces([file]), /found UTF-16 \(save the file as UTF-8\)/);
  });
});

test('X–Y text: titles cut off in the middle of a unit → curves of one sample, and a notice asks for concentrations', () => {
  const titles = [
    'Cycle: 15  AE.A  1.562',
    'Cycle: 16  AE.A  6.25 ',
    'Cycle: 17  AE.A  25 µg',
    'Cycle: 18  AE.A  200 µ',
  ];
  const others = ['Cycle: 19  design 1', 'Cycle: 20  design 2', 'Cycle: 21  mAb  50 nM'];
  const all = [...titles, ...others];
  const header = all.flatMap((title) => [`${title}_X`, `${title}_Y`]).join('\t');
  const rows = [-0.5, 0, 0.5, 1].map((t) =>
    all.flatMap(() => [t, t === 0.5 ? '9.29296e-3' : 0.25]).join('\t'),
  );
  const bytes = Buffer.from(`${[header, ...rows].join('\r\n')}\r\n`, 'latin1');
  const [set] = parseTraces([{ name: 'xy.txt', bytes }]);
  const seen = set.traces.map(({ sample, concentrationM }) => [sample, concentrationM]);
  assert.deepEqual(
    seen.slice(0, 4),
    titles.map(() => ['AE.A', null]),
  );
  assert.deepEqual(seen.slice(4), [
    ['design 1', null],
    ['design 2', null],
    ['mAb', 5e-8],
  ]);
  assert.deepEqual([...set.traces[0].steps[1].signal], [0.25, 9.29296e-3, 0.25]);
  assert.match(set.notices.join(), /headers of some curves have no concentration with a unit/);
});

test('Octet text: a concentration of −1 → none; another negative one → refused', () => {
  const file = (molar: string) => {
    const lines = [
      `Conc1\t${molar}`,
      'Start1\t0',
      'Stop1\t2',
      'Time1\tData1\tFit1',
      '0\t0\t0',
      '1\t1\t1',
      '2\t2\t2',
      '',
    ];
    return [toFile('A1Results.txt', lines.join('\r\n'))];
  };
  assert.equal(parseTraces(file('-1'))[0].traces[0].concentrationM, null);
  assert.equal(parseTraces(file('1E-07'))[0].traces[0].concentrationM, 1e-7);
  assert.throws(
    () => parseTraces(file('-2')),
    /line 1: expected a concentration in M of 0 or more, found -2/,
  );
});
