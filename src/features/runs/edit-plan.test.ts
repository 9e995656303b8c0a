import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildExperiment, buildRequest, listCodes, requirePlan, MELTING } from '#testing/run-plans.ts';
import { editPlan } from './edit-plan.ts';
import type { PlanEdit } from './edit-plan.ts';
import type { PlannedContent, RunPlan } from './plan.ts';

const PLAIN = { method: null, targetKey: null, concentrationsM: [] } as const;
const plan = requirePlan(
  buildRequest({ experiments: [buildExperiment({ ...PLAIN, count: 4, experimentType: 'fluorescence' })] }),
);
const EMPTY = 'H12';
const FILLED = plan.plates[0]?.wells[0]?.well ?? '';
const OTHER = plan.plates[0]?.wells[1]?.well ?? '';
const createAddress = (well: string, plate = 'P1') => ({ plate, well });

function findContent({ plates }: RunPlan, well: string): PlannedContent | undefined {
  const found = plates[0]?.wells.find((each) => each.well === well);
  if (found === undefined) return undefined;
  const { well: _, order: __, ...content } = found;
  return content;
}

function requireEdited(edit: PlanEdit, given = plan): RunPlan {
  const edited = editPlan(given, edit);
  assert.ok('plan' in edited);
  return edited.plan;
}

describe('edits', () => {
  test('move: to an empty well → the content stands there, and the given plan is unchanged', () => {
    const before = structuredClone(plan);
    const edited = requireEdited({ kind: 'move', from: createAddress(FILLED), to: createAddress('h12') });
    assert.deepEqual(findContent(edited, EMPTY), findContent(plan, FILLED));
    assert.equal(findContent(edited, FILLED), undefined);
    assert.deepEqual(plan, before);
  });

  test('swap: two filled wells → their contents change places', () => {
    const edited = requireEdited({ kind: 'swap', one: createAddress(FILLED), other: createAddress(OTHER) });
    assert.deepEqual(findContent(edited, FILLED), findContent(plan, OTHER));
    assert.deepEqual(findContent(edited, OTHER), findContent(plan, FILLED));
  });

  test('exchange: other content → stands in a filled and in an empty well', () => {
    const content: PlannedContent = {
      role: 'blank',
      sample: 'Buffer',
      replicate: 9,
      concentrationM: null,
      experimentId: null,
      sequenceId: null,
    };
    for (const well of [FILLED, EMPTY])
      assert.deepEqual(
        findContent(requireEdited({ kind: 'exchange', at: createAddress(well), content }), well),
        content,
      );
  });

  test('empty: a filled well → nothing is in it', () => {
    const edited = requireEdited({ kind: 'empty', at: createAddress(FILLED) });
    assert.equal(findContent(edited, FILLED), undefined);
    assert.equal(edited.plates[0]?.wells.length, (plan.plates[0]?.wells.length ?? 0) - 1);
  });

  test('move: a capillary → the order follows the places', () => {
    const run = requirePlan(
      buildRequest({
        experiments: [buildExperiment({ ...MELTING, count: 2 })],
      }),
    );
    const edited = requireEdited({ kind: 'move', from: createAddress('A1'), to: createAddress('B1') }, run);
    assert.deepEqual(
      edited.plates[0]?.wells.map(({ well, order }) => [well, order]),
      [
        ['A2', 1],
        ['A3', 2],
        ['A4', 3],
        ['A5', 4],
        ['A6', 5],
        ['B1', 6],
      ],
    );
  });

  const REFUSED: readonly (readonly [code: string, edit: PlanEdit])[] = [
    ['plate_unknown', { kind: 'empty', at: createAddress(FILLED, 'P9') }],
    ['well_outside_plate', { kind: 'move', from: createAddress(FILLED), to: createAddress('P24') }],
    ['well_taken', { kind: 'move', from: createAddress(FILLED), to: createAddress(OTHER) }],
    ['well_empty', { kind: 'move', from: createAddress(EMPTY), to: createAddress(EMPTY) }],
    ['well_empty', { kind: 'swap', one: createAddress(FILLED), other: createAddress(EMPTY) }],
    ['well_empty', { kind: 'empty', at: createAddress(EMPTY) }],
  ];
  for (const [code, edit] of REFUSED)
    test(`${code}: ${edit.kind} → refused with what to do`, () => {
      const edited = editPlan(plan, edit);
      assert.ok('problems' in edited);
      assert.deepEqual(listCodes(edited.problems), [code]);
      assert.match(edited.problems[0]?.message ?? '', /: (choose|mark)/);
    });
});
