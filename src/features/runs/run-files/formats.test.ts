import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildExperiment, buildRequest, listLayoutRequests, requirePlan } from '#testing/run-plans.ts';
import type { PlannedWell, RunPlan } from '../plan.ts';
import type { Source } from './worklists.ts';
import { listRunFileKinds, writeRunFile } from './formats.ts';
import type { RunFileRequest } from './formats.ts';

const CONTENT = {
  role: 'sample',
  replicate: 1,
  concentrationM: null,
  experimentId: 'e',
  sequenceId: 's',
} as const;

/** A plan of one plate with these samples in these wells. */
function buildPlan(samples: Readonly<Record<string, string>>, wish: Partial<RunPlan> = {}): RunPlan {
  const wells = Object.entries(samples).map(([well, sample], index): PlannedWell => ({
    ...CONTENT,
    well,
    sample,
    order: index + 1,
  }));
  return {
    version: 'plan-1',
    seed: 1,
    layout: 'reader_wells',
    size: 96,
    plates: [{ name: 'Dst01', wells }],
    ...wish,
  };
}

const SOURCE: Source = { sample: 'a', concentrationM: null, plate: 'Src01', size: 96, well: 'A01' };
const TECAN = { kind: 'tecan_worklist', liquidClass: 'Water', sources: [SOURCE], volumeUl: 50 } as const;
const DECK = {
  source_labware: 'agilent_1_reservoir_290ml',
  source_slot: 1,
  aspiration_height_mm: 1,
  destination_labware: 'nest_96_wellplate_100ul_pcr_full_skirt',
  destination_slot: 4,
} as const;

function requireText(plan: RunPlan, request: RunFileRequest): string {
  const written = writeRunFile(plan, 'Dst01', request);
  assert.ok('text' in written);
  return written.text;
}

function requireProblems(plan: RunPlan, request: RunFileRequest, plate = 'Dst01'): string {
  const written = writeRunFile(plan, plate, request);
  assert.ok('problems' in written);
  return written.problems.join(' ');
}

describe('worklists', () => {
  test('tecan_worklist: A2 of 96 wells → position 9, because positions run down the columns', () => {
    assert.equal(
      requireText(buildPlan({ A2: 'a' }), TECAN),
      'A;Src01;;;1;;50.00;Water;;;\r\nD;Dst01;;;9;;50.00;Water;;;\r\nW;\r\n',
    );
  });

  test('tecan_worklist: labels of 33 characters or with a semicolon → refused; 32 characters → written', () => {
    const write = (plate: string) =>
      writeRunFile(buildPlan({ A2: 'a' }), 'Dst01', { ...TECAN, sources: [{ ...SOURCE, plate }] });
    for (const plate of ['x'.repeat(33), 'a;b'])
      assert.match(JSON.stringify(write(plate)), /does not fit a worklist: use 1 to 32 characters/);
    assert.ok('text' in write('x'.repeat(32)));
  });

  test('echo_pick_list: 25 nL → unpadded wells and nanoliters; 26 nL → refused, no whole number of drops', () => {
    const request = {
      kind: 'echo_pick_list',
      plateTypes: { source: '384PP_AQ_BP', destination: '384LDV_Plus_AQ_GP' },
      sources: [SOURCE],
    } as const;
    const plan = buildPlan({ B2: 'a' });
    assert.equal(
      requireText(plan, { ...request, volumeUl: 0.025 }),
      'Source Plate Name,Source Plate Type,Source Well,Destination Plate Name,Destination Plate Type,Destination Well,Transfer Volume\r\nSrc01,384PP_AQ_BP,A1,Dst01,384LDV_Plus_AQ_GP,B2,25\r\n',
    );
    assert.match(
      requireProblems(plan, { ...request, volumeUl: 0.026 }),
      /0\.026 µL.* a multiple of 0\.0025 µL/,
    );
  });

  test('hamilton_worklist: a transfer → plates, wells and microliters; a formula as a plate name → harmless', () => {
    const request = {
      kind: 'hamilton_worklist',
      sources: [{ ...SOURCE, plate: '=P1' }],
      volumeUl: 10,
    } as const;
    assert.equal(
      requireText(buildPlan({ B1: 'a' }), request),
      "Source Plate Name,Source Well,Destination Plate Name,Destination Well,Transfer Volume\r\n'=P1,A1,Dst01,B1,10\r\n",
    );
  });

  test('opentrons_csv: a transfer → the columns of the protocol; the same slot twice or two source plates → refused', () => {
    const request = { kind: 'opentrons_csv', deck: DECK, sources: [SOURCE], volumeUl: 1 } as const;
    const plan = buildPlan({ A11: 'a' });
    assert.match(
      requireText(plan, request),
      /\r\nagilent_1_reservoir_290ml,1,A1,1,nest_96_wellplate_100ul_pcr_full_skirt,4,A11,1\r\n$/,
    );
    const same = { ...request, deck: { ...DECK, destination_slot: 1 } };
    assert.match(requireProblems(plan, same), /Both plates are in slot 1/);
    assert.match(
      requireProblems(plan, { ...request, deck: { ...DECK, source_slot: 12 } }),
      /There is no slot 12/,
    );
    const sources = [SOURCE, { ...SOURCE, sample: 'b', plate: 'Src02' }];
    assert.match(
      requireProblems(buildPlan({ A1: 'a', A2: 'b' }), { ...request, sources }),
      /put them on one plate/,
    );
  });

  test('sources: contents without one → all are named; a source of the very concentration → is preferred', () => {
    const plan = buildPlan({ A1: 'a', A2: 'b', A3: 'c' });
    const problems = requireProblems(plan, TECAN);
    assert.match(problems, /b has no source.* c has no source/);
    assert.doesNotMatch(problems, /\ba has no source/);
    const sources = [SOURCE, { ...SOURCE, concentrationM: 1e-7, well: 'C1' }];
    const dosed = buildPlan({});
    const wells = [{ ...CONTENT, well: 'A1', sample: 'a', order: null, concentrationM: 1e-7 }];
    const text = requireText({ ...dosed, plates: [{ name: 'Dst01', wells }] }, { ...TECAN, sources });
    assert.match(text, /^A;Src01;;;3;/);
  });

  test('volume: 0 µL → refused with what to do', () => {
    assert.match(requireProblems(buildPlan({ A1: 'a' }), { ...TECAN, volumeUl: 0 }), /choose one above 0/);
  });

  test('tecan_worklist: a volume that two decimals cannot say → refused; one that they can → written as it is', () => {
    const plan = buildPlan({ A1: 'a' });
    for (const volumeUl of [0.001, 0.004, 1.234])
      assert.match(requireProblems(plan, { ...TECAN, volumeUl }), /a multiple of 0\.01 µL/);
    for (const volumeUl of [0.01, 0.29, 1.23])
      assert.ok(requireText(plan, { ...TECAN, volumeUl }).includes(`;${volumeUl.toFixed(2)};`));
    const hamilton = { kind: 'hamilton_worklist', sources: [SOURCE] } as const;
    assert.match(requireProblems(plan, { ...hamilton, volumeUl: 0.0001 }), /a multiple of 0\.001 µL/);
    assert.ok(requireText(plan, { ...hamilton, volumeUl: 0.001 }).includes(',0.001'));
  });
});

describe('lists for instruments', () => {
  test('loading_list: capillaries → position, sample and source well in their order', () => {
    const plan = buildPlan({ A1: 'design-1', A2: '=x1' }, { layout: 'capillaries' });
    assert.equal(
      requireText(plan, { kind: 'loading_list' }),
      "position,sample,well\r\n1,design-1,A1\r\n2,'=x1,A2\r\n",
    );
  });

  test('quantstudio_setup: B1 of 384 wells → well 25, because wells run along the rows', () => {
    const plan = buildPlan({ B1: 'design-1' }, { layout: 'melt_wells', size: 384 });
    const lines = requireText(plan, { kind: 'quantstudio_setup', reporter: 'SYBR' }).split('\r\n');
    assert.equal(lines[0], '* Block Type = 384-Well Block');
    assert.equal(lines[2], '[Sample Setup]');
    const row = lines.find((line) => line.startsWith('25\t'));
    assert.equal(row, '25\tB1\tdesign-1\t"RGB(0,114,178)"\t\t\t\t\tUNKNOWN\tSYBR\t\t\t');
    const widths = new Set(lines.slice(3, -1).map((line) => line.split('\t').length));
    assert.deepEqual([...widths], [13]);
    assert.equal(lines.length, 4 + 384 + 1);
  });
});

describe('what is offered', () => {
  test('files: a layout without cycles or capillaries, or 96 wells → no loading list, no QuantStudio setup', () => {
    assert.deepEqual(listRunFileKinds({ layout: 'reader_wells', size: 384 }), [
      'plate_list',
      'plate_blocks',
      'tecan_worklist',
      'echo_pick_list',
      'hamilton_worklist',
      'opentrons_csv',
    ]);
    assert.ok(listRunFileKinds({ layout: 'capillaries', size: 96 }).includes('loading_list'));
    assert.ok(listRunFileKinds({ layout: 'melt_wells', size: 384 }).includes('quantstudio_setup'));
    assert.ok(!listRunFileKinds({ layout: 'melt_wells', size: 96 }).includes('quantstudio_setup'));
  });

  test('files: one that is not offered, or a plate that the plan lacks → refused with the choice', () => {
    const plan = buildPlan({ A1: 'a' });
    assert.match(requireProblems(plan, { kind: 'loading_list' }), /choose plate_list, plate_blocks/);
    assert.match(requireProblems(plan, { kind: 'plate_list' }, 'P9'), /no plate P9: choose Dst01/);
  });

  test('files: every plan → its maps have a name and a media type', () => {
    for (const request of Object.values(listLayoutRequests(4))) {
      const written = writeRunFile(requirePlan(request), 'P1', { kind: 'plate_blocks' });
      assert.ok('text' in written);
      assert.deepEqual(
        [written.fileName, written.mediaType],
        ['P1-plate_blocks.csv', 'text/csv; charset=utf-8'],
      );
    }
  });

  test('sources: a reference sensor → needs none', () => {
    const plan = requirePlan(buildRequest({ experiments: [buildExperiment({ count: 1 })] }));
    const samples = new Set(plan.plates.flatMap(({ wells }) => wells.map(({ sample }) => sample)));
    const sources = [...samples]
      .filter((sample) => sample !== '')
      .map((sample): Source => ({ ...SOURCE, sample }));
    assert.ok('text' in writeRunFile(plan, 'P1', { ...TECAN, sources }));
  });
});
