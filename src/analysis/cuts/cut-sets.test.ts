import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MappingEntry } from '#core/raw-mapping.ts';
import type { MeltSet, MeltTrace } from '../curves/trace.ts';
import { createRunSets } from '../formats/run-sets.ts';
import { assignOwners } from './cut-sets.ts';
import type { PlannedCell, PlannedCells } from './types.ts';

const createCell = (well: string, cell: Partial<PlannedCell>): PlannedCell => ({
  well,
  order: null,
  role: 'sample',
  sample: cell.name ?? '',
  name: cell.sample ?? '',
  replicate: 1,
  concentrationM: null,
  owner: null,
  ...cell,
});

const PLATE: PlannedCells = {
  name: 'P1',
  wells: [
    createCell('A1', { order: 1, sample: 'ONE-001-001 twin', name: 'twin', owner: 'one' }),
    createCell('B1', { order: 2, sample: 'TWO-001-001 twin', name: 'twin', owner: 'two', replicate: 2 }),
    createCell('C1', { order: 3, role: 'positive_control', sample: 'lysozyme', name: 'lysozyme' }),
    createCell('D1', { order: 4, role: 'blank', sample: 'Buffer', name: 'Buffer' }),
  ],
};

const createMelt = (well: string, rest: Partial<MeltTrace> = {}): MeltTrace => ({
  well,
  role: 'sample',
  sample: well,
  replicate: 1,
  concentrationM: null,
  concentrationNgPerUl: null,
  channel: 'ratio',
  temperatureC: Float64Array.of(20, 21),
  signal: Float64Array.of(1, 2),
  ...rest,
});

const createMelts = (traces: MeltTrace[], plate: string | null = null): MeltSet => ({
  format: 'any',
  instrument: 'nanoDSF of TWO-001-001',
  plate,
  metadata: {},
  notices: [],
  traces,
});

function cut(
  sets: readonly MeltSet[],
  {
    plates = [PLATE],
    mapping = [],
  }: { plates?: readonly PlannedCells[]; mapping?: readonly MappingEntry[] } = {},
) {
  const named = sets.map((melts, index) => ({
    plate: null,
    files: [`file-${index}`],
    sets: createRunSets({ melts: [melts] }),
  }));
  const { sets: owned, problems } = assignOwners(named, { plates, mapping });
  const rows = owned.flatMap((set) =>
    set.rows.map(({ row, owner }) => [row.well, owner, row.role, row.sample, row.replicate]),
  );
  return { rows, codes: problems.map(({ code }) => code) };
}

const ENTRY: MappingEntry = {
  plate: null,
  well: null,
  sample: null,
  role: 'sample',
  sequence: null,
  replicate: null,
};

const PLACED = [
  ['A1', 'one', 'sample', 'twin', 1],
  ['B1', 'two', 'sample', 'twin', 2],
  ['C1', null, 'positive_control', 'lysozyme', 1],
  ['D1', null, 'blank', 'Buffer', 1],
];

test('cut: wells without names → the plan names them, by the name of the sequence and not by that of the plan', () => {
  const { rows, codes } = cut([createMelts(['A1', 'B1', 'C1', 'D1'].map((well) => createMelt(well)))]);
  assert.deepEqual([rows, codes], [PLACED, []]);
});

test('cut: wells by the names of the plan, of the sequences, or by the numbers of capillaries → the same wells', () => {
  const named = cut([
    createMelts([
      createMelt('A01', { sample: 'ONE-001-001 twin' }),
      createMelt('B01', { sample: 'twin' }),
      createMelt('C01', { sample: 'lysozyme' }),
      createMelt('D01', { role: 'blank', sample: 'any buffer' }),
    ]),
  ]);
  assert.deepEqual(
    named.rows.map((row) => row.slice(1)),
    PLACED.map((row) => row.slice(1)),
  );
  const numbered = cut([createMelts(['Cap.1', '2', '3', '4'].map((well) => createMelt(well)))]);
  assert.deepEqual(
    numbered.rows.map((row) => row.slice(1)),
    PLACED.map((row) => row.slice(1)),
  );
});

test('well_not_planned, wells_left_out: a well outside the plan → refused with a name, left out without one', () => {
  const named = cut([createMelts([createMelt('A1'), createMelt('H12', { sample: 'stranger' })])]);
  assert.deepEqual([named.rows.length, named.codes], [1, ['well_not_planned']]);
  const unnamed = cut([createMelts([createMelt('A1'), createMelt('H12')])]);
  assert.deepEqual([unnamed.rows.length, unnamed.codes], [1, ['wells_left_out']]);
  const empty = cut([createMelts([createMelt('A1'), createMelt('H12', { role: 'empty', sample: 'x' })])]);
  assert.deepEqual([empty.rows.length, empty.codes], [1, []]);
});

test('plate_not_planned: several plates and a file that names none of them → refused; a plate of the plan → found', () => {
  const plates = [PLATE, { name: 'P2', wells: [createCell('A1', { sample: 'other', owner: 'two' })] }];
  assert.deepEqual(cut([createMelts([createMelt('A1')])], { plates }).codes, ['plate_not_planned']);
  assert.deepEqual(cut([createMelts([createMelt('A1')], 'P9')], { plates }).codes, ['plate_not_planned']);
  assert.deepEqual(cut([createMelts([createMelt('A1')], 'P2')], { plates }).rows[0]?.[1], 'two');
});

test('well_measured_twice: one well in two files → a warning; in two channels of one file → none', () => {
  const once = createMelts([createMelt('A1'), createMelt('A1', { channel: '350nm' })]);
  assert.deepEqual(cut([once]).codes, []);
  assert.deepEqual(cut([once, createMelts([createMelt('A1')])]).codes, ['well_measured_twice']);
});

test('cut: a mapping makes the well of one client a blank → no other client gets it; names a sample of another → it moves', () => {
  const melts = [createMelts([createMelt('A1'), createMelt('B1')])];
  const blank = cut(melts, { mapping: [{ ...ENTRY, well: 'A1', role: 'blank' }] });
  assert.deepEqual(blank.rows[0]?.slice(0, 3), ['A1', 'one', 'blank']);
  const moved = cut(melts, { mapping: [{ ...ENTRY, well: 'A1', sequence: 'TWO-001-001 twin' }] });
  assert.deepEqual(moved.rows[0]?.slice(0, 4), ['A1', 'two', 'sample', 'twin']);
  const left = cut(melts, { mapping: [{ ...ENTRY, well: 'A1', role: 'left_out' }] });
  assert.deepEqual(
    left.rows.map(([well]) => well),
    ['B1'],
  );
  const control = [{ ...ENTRY, well: 'H12', role: 'positive_control' as const }];
  const outside = [createMelts([createMelt('H12', { sample: 'TWO-001-001 twin' })])];
  assert.deepEqual(cut(outside, { mapping: control }).codes, ['well_not_planned']);
});

test('sample_other_than_planned, role_other_than_planned, concentration_other_than_planned: the file contradicts the plan → named', () => {
  const other = cut([createMelts([createMelt('A1', { sample: 'lysozyme' })])]);
  assert.deepEqual([other.rows, other.codes], [[], ['sample_other_than_planned']]);
  const role = cut([createMelts([createMelt('A1', { role: 'blank' })])]);
  assert.deepEqual([role.rows, role.codes], [[], ['role_other_than_planned']]);
  const plates = [
    { name: 'P1', wells: [createCell('A1', { sample: 'a', owner: 'one', concentrationM: 1e-7 })] },
  ];
  const measure = (concentrationM: number) =>
    cut([createMelts([createMelt('A1', { concentrationM })])], { plates }).codes;
  assert.deepEqual(measure(2e-7), ['concentration_other_than_planned']);
  assert.deepEqual(measure(1.001e-7), []);
});
