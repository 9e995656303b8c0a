import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  buildExperiment,
  buildRequest,
  CONTROLS,
  listCodes,
  listLayoutRequests,
  requirePlan,
  STANDARD_CONTROLS,
  MELTING,
} from '#testing/run-plans.ts';
import { findPlanProblems } from './check-plan.ts';
import { experimentStatuses } from '#core/lifecycle.ts';
import { runAtOnce } from '#core/slices.ts';
import { makePlan } from './make-plan.ts';
import type { PlanRequest, RunPlan } from './plan.ts';

const PLAIN = { method: null, targetKey: null, concentrationsM: [], count: 96 } as const;

function countWells(plan: RunPlan): number[] {
  return plan.plates.map(({ wells }) => wells.length);
}

describe('plates of a run', () => {
  test('sensor_columns: 96 sequences × 2 × 5 concentrations → 192 columns on 16 plates of 96, 4 of 384', () => {
    const experiments = [buildExperiment({ count: 96 })];
    const plan = requirePlan(buildRequest({ experiments }));
    assert.deepEqual(
      countWells(plan),
      Array.from({ length: 16 }, () => 96),
    );
    assert.equal(requirePlan(buildRequest({ experiments, size: 384 })).plates.length, 4);
  });

  test('sensor_columns: each column with samples → has whole series and one reference', () => {
    const plan = requirePlan(buildRequest({ experiments: [buildExperiment({ count: 20 })] }));
    for (const { wells } of plan.plates)
      for (const [, own] of Map.groupBy(wells, ({ well }) => well.slice(1))) {
        assert.equal(own.filter(({ role }) => role === 'reference').length, 1);
        const samples = own.filter(({ role }) => role === 'sample');
        assert.ok(samples.length === 6 || samples.length === 0);
      }
  });

  test('sensor_columns: a plate with enough columns → references stand at every concentration; with fewer → all at the highest', () => {
    const listDoses = (plan: RunPlan): (number | null)[] => {
      const references = plan.plates[0]?.wells.filter(({ role }) => role === 'reference') ?? [];
      return [...new Set(references.map(({ concentrationM }) => concentrationM))];
    };
    const enough = requirePlan(buildRequest({ experiments: [buildExperiment({ count: 20 })] }));
    assert.deepEqual(
      listDoses(enough).toSorted((a, b) => Number(b) - Number(a)),
      [1e-6, 3.162e-7, 1e-7, 3.16e-8, 1e-8, 0],
    );
    const few = requirePlan(buildRequest({ experiments: [buildExperiment({ count: 1 })] }));
    assert.ok((few.plates[0]?.wells.filter(({ role }) => role === 'reference').length ?? 0) < 5);
    assert.deepEqual(listDoses(few), [1e-6]);
  });

  test('sensor_columns: each plate → has the positive control over all concentrations and in buffer', () => {
    const plan = requirePlan(buildRequest({ experiments: [buildExperiment({ count: 20 })] }));
    for (const { wells } of plan.plates) {
      const own = wells.filter(({ role, replicate }) => role === 'positive_control' && replicate === 1);
      assert.deepEqual(
        own.map(({ concentrationM }) => concentrationM).toSorted((a, b) => Number(b) - Number(a)),
        [1e-6, 3.162e-7, 1e-7, 3.16e-8, 1e-8, 0],
      );
    }
  });

  test('cycles: a plate → starts up with 3 buffers and repeats the positive control within 24 cycles', () => {
    const experiments = [buildExperiment({ count: 40, method: 'spr' })];
    const plan = requirePlan(buildRequest({ experiments, size: 384 }));
    for (const { wells } of plan.plates) {
      assert.deepEqual(
        wells.map(({ order }) => order),
        wells.map((_, index) => index + 1),
      );
      assert.ok(wells.slice(0, 3).every(({ role }) => role === 'blank'));
      const isControl = wells.map(({ role }) => role !== 'sample').join();
      assert.ok(!isControl.includes(Array.from({ length: 24 }, () => 'false').join()));
    }
  });

  test('capillaries: 192 samples → 9 runs of 24 capillaries and 5 of 48, along the rows', () => {
    const experiments = [buildExperiment({ ...MELTING, count: 96 })];
    assert.equal(requirePlan(buildRequest({ experiments, capillaries: 24 })).plates.length, 9);
    const plan = requirePlan(buildRequest({ experiments, capillaries: 48 }));
    assert.deepEqual(countWells(plan), [48, 48, 48, 48, 10]);
    assert.deepEqual(
      plan.plates[0]?.wells.slice(11, 14).map(({ well, order }) => [well, order]),
      [
        ['A12', 12],
        ['B1', 13],
        ['B2', 14],
      ],
    );
  });

  test('melt_wells: 192 samples → the inner wells of one plate of 384, or 3 plates of 96', () => {
    const experiments = [buildExperiment({ ...MELTING, count: 96 })];
    const request = buildRequest({ experiments, layout: 'melt_wells' });
    assert.deepEqual(countWells(requirePlan(request)), [96, 96, 24]);
    const plan = requirePlan({ ...request, size: 384 });
    assert.deepEqual(countWells(plan), [208]);
    assert.ok(plan.plates[0]?.wells.every(({ well }) => !/^[AP]|[A-Z]1$|24$/.test(well)));
  });

  test('standard_curve: 192 samples → 74 a plate of 96, or one plate of 384', () => {
    const experiments = [buildExperiment({ ...PLAIN, experimentType: 'expression' })];
    const request = buildRequest({ experiments, controls: STANDARD_CONTROLS });
    assert.deepEqual(countWells(requirePlan(request)), [96, 96, 66]);
    assert.deepEqual(countWells(requirePlan({ ...request, size: 384 })), [214]);
  });

  test('plates: replicates of one sequence on several plates → the first of all before the second', () => {
    const experiments = [buildExperiment({ ...PLAIN, experimentType: 'fluorescence' })];
    const plan = requirePlan(buildRequest({ experiments }));
    const [first] = plan.plates;
    assert.ok(first?.wells.every(({ role, replicate }) => role !== 'sample' || replicate === 1));
  });

  for (const [name, request] of Object.entries(listLayoutRequests(30)))
    test(`plan: ${name} → nothing is missing, and every plate has its controls`, () => {
      const plan = requirePlan(request);
      const errors = findPlanProblems(plan, request).filter(({ severity }) => severity === 'error');
      assert.deepEqual(errors, []);
    });
});

describe('seed', () => {
  const request = buildRequest({
    experiments: [buildExperiment({ ...PLAIN, count: 30, experimentType: 'fluorescence' })],
  });

  test('seed: the same one → the same plan, which names it', () => {
    const plan = requirePlan(request);
    assert.deepEqual(requirePlan(request), plan);
    assert.equal(plan.seed, 7);
  });

  test('seed: another one → another plan', () => {
    assert.notDeepEqual(requirePlan({ ...request, seed: 8 }).plates, requirePlan(request).plates);
  });
});

describe('several experiments', () => {
  test('labels: two experiments with one name → their codes tell the sequences apart', () => {
    const experiments = [
      buildExperiment({ id: 'one', code: 'DEMO-001', names: ['a', 'b'] }),
      buildExperiment({ id: 'two', code: 'DEMO-002', names: ['b', 'empty'] }),
    ];
    const plan = requirePlan(buildRequest({ experiments }));
    const samples = plan.plates.flatMap(({ wells }) =>
      wells.flatMap(({ role, sample, experimentId }) =>
        role === 'sample' ? `${experimentId} ${sample}` : [],
      ),
    );
    assert.deepEqual([...new Set(samples)].toSorted(), [
      'one DEMO-001 b',
      'one a',
      'two DEMO-002 b',
      'two DEMO-002 empty',
    ]);
  });
});

const replaceExperiment = (wish: Parameters<typeof buildExperiment>[0]): Partial<PlanRequest> => ({
  experiments: [buildExperiment(wish)],
});

/** Each problem of a request with a wish that has it; the unchanged request has none. */
const REFUSED: readonly (readonly [code: string, wish: Partial<PlanRequest>, remedy: RegExp])[] = [
  ['no_experiments', { experiments: [] }, /add one/],
  [
    'mixed_assays',
    { experiments: [buildExperiment(), buildExperiment({ id: '2', names: ['c'], method: 'spr' })] },
    /plan a run for each/,
  ],
  [
    'mixed_targets',
    { experiments: [buildExperiment(), buildExperiment({ id: '2', names: ['c'], targetKey: 'other' })] },
    /plan a run for each target/,
  ],
  ['assay_not_planned', replaceExperiment({ experimentType: 'epitope_binning' }), /set the method/],
  ['layout_not_offered', { layout: 'melt_wells' }, /choose sensor_columns/],
  ['seed_invalid', { seed: -1 }, /give an integer/],
  ['replicates_invalid', replaceExperiment({ nReplicates: 0 }), /choose 1 to 20/],
  ['concentrations_invalid', replaceExperiment({ concentrationsM: [] }), /needs 1 to 30/],
  [
    'concentrations_invalid',
    replaceExperiment({ concentrationsM: [1e-7, 1e-7] }),
    /different concentrations/,
  ],
  ['sequence_missing', replaceExperiment({ names: [] }), /add them/],
  ['name_of_control', replaceExperiment({ names: ['negative-1'] }), /another name/],
  ['control_missing', { controls: { ...CONTROLS, positive: null } }, /name the protein/],
  ['control_missing', { controls: { ...CONTROLS, negatives: [] } }, /name one/],
  [
    'series_too_long',
    replaceExperiment({ concentrationsM: [1, 2, 3, 4, 5, 6, 7].map((n) => n * 1e-8) }),
    /fewer concentrations or a plate of 384/,
  ],
  [
    'controls_too_many',
    { controls: { ...CONTROLS, negatives: Array.from({ length: 40 }, (_, n) => `n-${n}`) } },
    /fewer negative controls/,
  ],
  ['run_too_large', replaceExperiment({ count: 1_001, nReplicates: 20 }), /several runs/],
];

describe('requests that do not fit', () => {
  test('plan: a valid request → no problem', () => {
    assert.ok('plan' in runAtOnce(makePlan(buildRequest())));
  });

  for (const [code, wish, remedy] of REFUSED)
    test(`${code}: ${remedy.source} → refused with what to do`, () => {
      const made = runAtOnce(makePlan(buildRequest(wish)));
      assert.ok('problems' in made);
      assert.deepEqual(listCodes(made.problems), [code]);
      assert.match(made.problems[0]?.message ?? '', remedy);
    });

  test('run_too_large: controls that leave one well of each plate → refused before any plate is balanced', () => {
    const plain = buildRequest({
      experiments: [
        buildExperiment({ ...PLAIN, experimentType: 'expression', count: 3_000, nReplicates: 1 }),
      ],
    });
    const levels = Array.from({ length: 22 }, (_, n) => n * 1e-9);
    const negatives = Array.from({ length: 49 }, (_, n) => `n-${n}`);
    const began = performance.now();
    const made = runAtOnce(
      makePlan({
        ...plain,
        size: 96,
        controls: { ...CONTROLS, negatives, standard: { sample: 's', concentrationsM: levels } },
      }),
    );
    assert.ok('problems' in made);
    assert.deepEqual(listCodes(made.problems), ['run_too_large']);
    // Balancing that many plates takes a minute.
    assert.ok(performance.now() - began < 20_000);
  });

  test('experiment_not_ready: an order that is not accepted, is analyzed or over → refused; one that waits → planned', () => {
    for (const status of experimentStatuses) {
      const made = runAtOnce(makePlan(buildRequest({ experiments: [buildExperiment({ status })] })));
      const isPlanned = ['waiting_for_materials', 'in_queue', 'in_production', 'in_review'].includes(status);
      assert.deepEqual(
        'plan' in made ? [] : listCodes(made.problems),
        isPlanned ? [] : ['experiment_not_ready'],
      );
    }
  });

  test('makePlan: a plan of several plates → pauses after each of them', () => {
    const request = buildRequest({ experiments: [buildExperiment({ ...MELTING, count: 100 })] });
    const steps = makePlan(request);
    let pauses = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) pauses += 1;
    assert.ok('plan' in step.value);
    assert.ok(pauses > 1);
    assert.equal(pauses, step.value.plan.plates.length);
  });

  test('standard_missing: expression without a standard, or without its buffer → refused', () => {
    const plain = buildRequest({
      experiments: [buildExperiment({ ...PLAIN, experimentType: 'expression' })],
    });
    const standard = { sample: 's', concentrationsM: [1e-9, 2e-9, 3e-9, 4e-9] };
    for (const controls of [CONTROLS, { ...CONTROLS, standard }]) {
      const made = runAtOnce(makePlan({ ...plain, controls }));
      assert.ok('problems' in made);
      assert.deepEqual(listCodes(made.problems), ['standard_missing']);
    }
  });

  test('plan: several problems → all are named at once', () => {
    const made = runAtOnce(
      makePlan(buildRequest({ ...replaceExperiment({ nReplicates: 0, names: [] }), seed: 0.5 })),
    );
    assert.ok('problems' in made);
    assert.deepEqual(listCodes(made.problems), ['sequence_missing', 'replicates_invalid', 'seed_invalid']);
  });
});

test('plan: 384 wells of a reader → made in less than 1 s', () => {
  const experiments = [buildExperiment({ ...PLAIN, count: 186, experimentType: 'fluorescence' })];
  const request = buildRequest({ experiments, size: 384 });
  const started = process.cpuUsage();
  const plan = requirePlan(request);
  const { user, system } = process.cpuUsage(started);
  assert.deepEqual(countWells(plan), [384]);
  assert.ok(user + system < 1_000_000, `${(user + system) / 1e6} s`);
});
