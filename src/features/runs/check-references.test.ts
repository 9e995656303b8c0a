import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildExperiment, buildRequest, listCodes, requirePlan } from '#testing/run-plans.ts';
import { findPlanProblems, isStartable } from './check-plan.ts';
import { editPlan } from './edit-plan.ts';
import type { RunPlan } from './plan.ts';
import { createLabContent } from './preparations.ts';

const request = buildRequest({ experiments: [buildExperiment({ count: 1 })] });

/** Puts reference sensors into wells of the last column, which a small run leaves empty. */
function addReferences(plan: RunPlan, levelsM: readonly number[]): RunPlan {
  return levelsM.reduce((before, levelM, index) => {
    const at = { plate: 'P1', well: `${'ABCDEFGH'[index]}12` };
    const content = createLabContent('reference', '', 12, levelM);
    const edited = editPlan(before, { kind: 'exchange', at, content });
    assert.ok('plan' in edited);
    return edited.plan;
  }, plan);
}

test('concentration_unreferenced: fewer columns than concentrations → a warning names replicates, concentrations and remedy', () => {
  const problems = findPlanProblems(requirePlan(request), request);
  assert.deepEqual(problems, [
    {
      code: 'concentration_unreferenced',
      severity: 'warning',
      message:
        'Plate P1 has no reference sensor at 316 nM, 100 nM, 31.6 nM, and 10 nM for replicates 1 and 2 of design-1. The analysis leaves these dips out or, where they are most of a replicate, subtracts no reference from it. Put a reference at each of these concentrations into an empty well, or plan more experiments into the run, so that the plate has more columns.',
      plate: 'P1',
      well: null,
    },
  ]);
  assert.ok(isStartable(problems));
});

test('concentration_unreferenced: references are put into empty wells → only what still lacks one is named, then nothing', () => {
  const some = addReferences(requirePlan(request), [3.162e-7, 1e-7]);
  const [problem, ...others] = findPlanProblems(some, request);
  assert.match(problem?.message ?? '', /no reference sensor at 31\.6 nM and 10 nM for/);
  assert.deepEqual(others, []);
  const all = addReferences(requirePlan(request), [3.162e-7, 1e-7, 3.16e-8, 1e-8]);
  assert.deepEqual(findPlanProblems(all, request), []);
});

test('concentration_unreferenced: experiments with other concentrations → each is named with those that it lacks', () => {
  const [one, other] = [[1e-6, 1e-7], [1e-8]].map((concentrationsM, index) =>
    buildExperiment({
      id: `experiment-${index + 1}`,
      names: [`protein-${index + 1}`],
      nReplicates: 1,
      concentrationsM,
    }),
  );
  assert.ok(one !== undefined && other !== undefined);
  const mixed = buildRequest({ experiments: [one, other] });
  const plan = requirePlan(mixed);
  const highest = {
    ...plan,
    plates: plan.plates.map(({ name, wells }) => ({
      name,
      wells: wells.map((well) => (well.role === 'reference' ? { ...well, concentrationM: 1e-6 } : well)),
    })),
  };
  const problems = findPlanProblems(highest, mixed);
  assert.deepEqual(listCodes(problems), ['concentration_unreferenced', 'concentration_unreferenced']);
  assert.match(problems[0]?.message ?? '', /at 100 nM for replicate 1 of protein-1\. /);
  assert.match(problems[1]?.message ?? '', /at 10 nM for replicate 1 of protein-2\. /);
});

test('concentration_unreferenced: more sequences than a sentence holds → the others are counted', () => {
  const many = buildRequest({ experiments: [buildExperiment({ count: 20, nReplicates: 1 })] });
  const plan = requirePlan(many);
  const bare = {
    ...plan,
    plates: plan.plates
      .slice(0, 1)
      .map(({ name, wells }) => ({ name, wells: wells.filter(({ role }) => role !== 'reference') })),
  };
  const problem = findPlanProblems(bare, many).find(({ code }) => code === 'concentration_unreferenced');
  assert.match(problem?.message ?? '', /replicate 1 of design-\d+, and \d more sequences\. /);
});
