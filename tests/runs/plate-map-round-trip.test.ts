/** What the planner writes as a plate map is what the readers of instrument files read. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseWellFiles } from '#analysis/formats/parse-wells.ts';
import type { PlannedPlate, RunPlan } from '#features/runs/plan.ts';
import { writePlateBlocks, writePlateList } from '#features/runs/run-files/lists.ts';
import { buildExperiment, buildRequest, listLayoutRequests, requirePlan } from '#testing/run-plans.ts';

/** What a reader makes of a file on its own. */
function readMap(text: string): Record<string, Record<string, unknown>> {
  const { map } = parseWellFiles([{ name: 'map.csv', bytes: new TextEncoder().encode(text) }]);
  const wells = [...(map ?? [])].filter(([, { role }]) => role !== 'empty');
  return Object.fromEntries(wells.map(([well, content]) => [well, { ...content }]));
}

/** What a reader should find; a reference sensor is a blank to it. */
function listExpected({ wells }: PlannedPlate, reference: string): Record<string, Record<string, unknown>> {
  return Object.fromEntries(
    wells.map(({ well, role, sample, replicate, concentrationM }) => {
      const isReference = role === 'reference';
      const named = { role: isReference ? 'blank' : role, sample: isReference ? reference : sample };
      return [well, { ...named, replicate, ...(concentrationM === null ? {} : { concentrationM }) }];
    }),
  );
}

function assertReadBack(plan: RunPlan): void {
  for (const plate of plan.plates) {
    assert.deepEqual(readMap(writePlateList([plate])), listExpected(plate, ''));
    assert.deepEqual(readMap(writePlateBlocks(plan, plate)), listExpected(plate, 'Reference'));
  }
}

describe('plate maps read back', () => {
  for (const size of [96, 384] as const)
    for (const [name, request] of Object.entries(listLayoutRequests(25)))
      test(`plate map: ${name} on ${size} wells → every well is read as it was planned`, () => {
        assertReadBack(requirePlan({ ...request, size }));
      });

  test('plate map: names that a spreadsheet runs, quotes and commas → are harmless in the file and read back', () => {
    const names = ['=1+1', '+a', '-b', '@c', 'a,b', 'say "x"', "'quoted", "'=x", 'Empty', 'Buffer', '12.5'];
    const plain = { method: null, targetId: null, concentrationsM: [] } as const;
    const experiments = [buildExperiment({ ...plain, names, experimentType: 'fluorescence' })];
    const plan = requirePlan(buildRequest({ experiments }));
    assertReadBack(plan);
    const [plate] = plan.plates;
    assert.ok(plate !== undefined);
    for (const text of [writePlateList([plate]), writePlateBlocks(plan, plate)]) {
      assert.ok(text.includes("'=1+1"));
      assert.doesNotMatch(text, /(^|,)"?[=+@-][^,]/m);
    }
  });

  test('plate map as a list: wells of two plates in one file → refused with the line', () => {
    const [one] = requirePlan(buildRequest()).plates;
    assert.ok(one !== undefined);
    assert.throws(() => readMap(writePlateList([one, { ...one, name: 'P2' }])), /wells of one plate, "P1"/);
  });

  test('plate map as a list: a well twice, an unknown role, too few fields → refused', () => {
    const head = 'plate,well,role,sample,replicate,concentration_m\n';
    const row = 'P1,A1,sample,a,1,\n';
    assert.deepEqual(readMap(head + row), { A1: { role: 'sample', sample: 'a', replicate: 1 } });
    const wrong: readonly (readonly [string, RegExp])[] = [
      [row + row, /a well that is not listed yet/],
      ['P1,A1,guest,a,1,\n', /a role \(sample, /],
      ['P1,Z1,sample,a,1,\n', /the name of a well/],
      ['P1,A1,sample,a,0,\n', /a replicate number from 1/],
      ['P1,A1,sample,a,1,2\n', /a concentration between 0 and 1 M/],
      ['P1,A1,sample\n', /6 fields/],
    ];
    for (const [rows, message] of wrong) assert.throws(() => readMap(head + rows), message);
  });
});
