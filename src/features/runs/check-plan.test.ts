import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  buildExperiment,
  buildRequest,
  listCodes,
  listLayoutRequests,
  requirePlan,
  STANDARD_CONTROLS,
  MELTING,
} from '#testing/run-plans.ts';
import { findPlanProblems, isStartable } from './check-plan.ts';
import type { PlannedWell, PlanRequest, RunPlan } from './plan.ts';

const PLAIN = { method: null, targetKey: null, concentrationsM: [] } as const;
const sensors = buildRequest({ experiments: [buildExperiment({ count: 3 })] });
const reader = buildRequest({
  experiments: [buildExperiment({ ...PLAIN, count: 20, experimentType: 'fluorescence' })],
});
const capillaries = listLayoutRequests(10)['melting in capillaries'] ?? sensors;
const cycles = listLayoutRequests(20)['affinity by SPR'] ?? sensors;
const dye = listLayoutRequests(10)['melting with a dye'] ?? sensors;
const expression = buildRequest({
  experiments: [buildExperiment({ ...PLAIN, count: 8, experimentType: 'expression' })],
  controls: STANDARD_CONTROLS,
});

/** Returns the plan with other wells on its first plate. */
function withWells(plan: RunPlan, change: (wells: PlannedWell[]) => PlannedWell[]): RunPlan {
  const [first, ...others] = plan.plates;
  assert.ok(first !== undefined);
  return { ...plan, plates: [{ ...first, wells: change([...first.wells]) }, ...others] };
}

const isRole =
  (role: PlannedWell['role']) =>
  (well: PlannedWell): boolean =>
    well.role === role;

/** Changes the first sample of a plate. */
const changeSample = (change: Partial<PlannedWell>) => (wells: PlannedWell[]) => {
  const at = wells.findIndex(isRole('sample'));
  return wells.map((well, index) => (index === at ? { ...well, ...change } : well));
};
const drop = (isDropped: (well: PlannedWell) => boolean) => (wells: PlannedWell[]) =>
  wells.filter((well) => !isDropped(well));
const dropFirst = (isDropped: (well: PlannedWell) => boolean) => (wells: PlannedWell[]) => {
  const at = wells.findIndex(isDropped);
  return wells.filter((_, index) => index !== at);
};

interface Broken {
  readonly code: string;
  readonly request: PlanRequest;
  readonly change: (wells: PlannedWell[]) => PlannedWell[];
  readonly message: RegExp;
  readonly isWarning?: boolean;
}

const BROKEN: readonly Broken[] = [
  {
    code: 'well_outside_plate',
    request: reader,
    change: changeSample({ well: 'P24' }),
    message: /move its content/,
  },
  {
    code: 'well_twice',
    request: reader,
    change: (wells) =>
      wells.map((well, index) => (index === 1 ? { ...well, well: wells[0]?.well ?? '' } : well)),
    message: /two contents: move one/,
  },
  {
    code: 'order_invalid',
    request: capillaries,
    change: changeSample({ order: 40 }),
    message: /number its wells anew/,
  },
  {
    code: 'sequence_unknown',
    request: reader,
    change: changeSample({ sample: 'stranger' }),
    message: /“stranger”, which is no sequence/,
  },
  {
    code: 'sequence_unknown',
    request: reader,
    change: changeSample({ sequenceId: 'other' }),
    message: /no sequence of the experiments/,
  },
  {
    code: 'sequence_unknown',
    request: reader,
    change: (wells) =>
      wells.map((well) => (well.role === 'positive_control' ? { ...well, sample: 'stranger' } : well)),
    message: /no positive control of the run/,
  },
  {
    code: 'replicate_unordered',
    request: reader,
    change: changeSample({ replicate: 3 }),
    message: /orders 2: choose 1 to 2/,
  },
  {
    code: 'replicate_missing',
    request: reader,
    change: dropFirst(isRole('sample')),
    message: /has no well: put it/,
  },
  {
    code: 'replicate_missing',
    request: sensors,
    change: dropFirst(({ role, concentrationM }) => role === 'sample' && concentrationM === 1e-7),
    message: /has no well at 100 nM/,
  },
  {
    code: 'concentration_unordered',
    request: sensors,
    change: changeSample({ concentrationM: 2e-8 }),
    message: /at 20 nM, which DEMO-001-001 does not order/,
  },
  {
    code: 'series_split',
    request: sensors,
    change: changeSample({ well: 'A12' }),
    message: /several columns/,
  },
  {
    code: 'reference_missing',
    request: sensors,
    change: dropFirst(isRole('reference')),
    message: /has no reference sensor: put one/,
  },
  {
    code: 'control_too_few',
    request: reader,
    change: dropFirst(isRole('blank')),
    message: /3 wells of blank, and its layout needs 4/,
  },
  {
    code: 'control_too_few',
    request: cycles,
    change: drop(isRole('positive_control')),
    message: /0 wells of positive control/,
  },
  {
    code: 'control_too_few',
    request: expression,
    change: dropFirst(isRole('standard')),
    message: /the standard of .* in 1 well, and its layout needs 2/,
  },
  {
    code: 'edge_used',
    request: dye,
    change: changeSample({ well: 'A1' }),
    message: /evaporates first/,
    isWarning: true,
  },
];

describe('problems of a plan', () => {
  for (const request of [sensors, reader, capillaries, cycles, dye, expression])
    test(`plan: ${requirePlan(request).layout} as it was made → no problem`, () => {
      assert.deepEqual(findPlanProblems(requirePlan(request), request), []);
    });

  for (const { code, request, change, message, isWarning = false } of BROKEN)
    test(`${code}: ${message.source} → named`, () => {
      const problems = findPlanProblems(withWells(requirePlan(request), change), request);
      const found = problems.filter((problem) => problem.code === code);
      assert.ok(
        found.some((problem) => message.test(problem.message)),
        listCodes(problems).join(),
      );
      assert.ok(found.every(({ severity }) => (severity === 'warning') === isWarning));
      assert.equal(isStartable(found), isWarning);
    });

  test('plate_twice: two plates of one name → named', () => {
    const plan = requirePlan(reader);
    const problems = findPlanProblems({ ...plan, plates: [...plan.plates, ...plan.plates] }, reader);
    assert.ok(listCodes(problems).includes('plate_twice'));
  });

  test('replicate_twice: a replicate in two wells → named with both', () => {
    const plan = withWells(requirePlan(reader), (wells) => {
      const sample = wells.find(isRole('sample'));
      assert.ok(sample !== undefined);
      return [...wells, { ...sample, well: 'H12' }];
    });
    const [problem, ...others] = findPlanProblems(plan, reader).filter(
      ({ severity }) => severity === 'error',
    );
    assert.deepEqual(others, []);
    assert.match(problem?.message ?? '', /Well H12 of plate P1 repeats Well .* Mark one of them empty/);
  });

  test('series_split: a series of cycles on two plates → named', () => {
    const plan = requirePlan(cycles);
    const first = plan.plates[0];
    const last = plan.plates.at(-1);
    assert.ok(first !== undefined && last !== undefined && first !== last);
    const moved = first.wells.findLast(isRole('sample'));
    assert.ok(moved !== undefined);
    const rest = first.wells.filter((well) => well !== moved);
    const order = last.wells.length + 1;
    const plates = [
      { ...first, wells: rest.map((well, index) => ({ ...well, order: index + 1 })) },
      { ...last, wells: [...last.wells, { ...moved, well: 'H12', order }] },
    ];
    const problems = findPlanProblems({ ...plan, plates: [...plates, ...plan.plates.slice(1, -1)] }, cycles);
    assert.deepEqual(listCodes(problems), ['series_split']);
  });

  test('replicates_adjacent and replicates_one_column: two replicates side by side in a column → warnings', () => {
    const plan = requirePlan(reader);
    const wells = plan.plates[0]?.wells ?? [];
    const [one, other] = wells.filter(({ sample }) => sample === 'design-1');
    assert.ok(one !== undefined && other !== undefined);
    const below = `${String.fromCharCode(one.well.charCodeAt(0) + (one.well.startsWith('H') ? -1 : 1))}${one.well.slice(1)}`;
    const swapped = withWells(plan, (all) =>
      all.map((well) => {
        if (well === other) return { ...well, well: below };
        return well.well === below ? { ...well, well: other.well } : well;
      }),
    );
    const problems = findPlanProblems(swapped, reader).filter(({ message }) => /of design-1 /.test(message));
    assert.deepEqual(listCodes(problems), ['replicates_adjacent', 'replicates_one_column']);
    assert.ok(isStartable(problems));
  });

  test('order_invalid: more wells than capillaries → named', () => {
    const fitting = findPlanProblems(requirePlan(capillaries), { ...capillaries, capillaries: 24 });
    assert.deepEqual(listCodes(fitting), []);
    const many = buildRequest({
      experiments: [buildExperiment({ ...MELTING, count: 20 })],
    });
    assert.deepEqual(listCodes(findPlanProblems(requirePlan(many), { ...many, capillaries: 24 })), [
      'order_invalid',
    ]);
  });
});
