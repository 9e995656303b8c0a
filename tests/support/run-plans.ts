/** Requests and plans of runs for tests. */
import { runAtOnce } from '#core/slices.ts';
import { makePlan } from '#features/runs/make-plan.ts';
import type {
  ControlsToPlan,
  ExperimentToPlan,
  PlanProblem,
  PlanRequest,
  RunPlan,
} from '#features/runs/plan.ts';

const FIVE_CONCENTRATIONS_M: readonly number[] = [1e-6, 3.162e-7, 1e-7, 3.16e-8, 1e-8];

export const CONTROLS: ControlsToPlan = {
  positive: 'positive-protein',
  negatives: ['negative-1', 'negative-2'],
  standard: null,
};

export const STANDARD_CONTROLS: ControlsToPlan = {
  positive: 'positive-protein',
  negatives: ['no-DNA'],
  standard: {
    sample: 'tagged-standard',
    concentrationsM: [0, 1e-9, 2e-9, 4e-9, 8e-9, 1.6e-8, 3.2e-8, 6.4e-8],
  },
};

export type ExperimentWish = Partial<Omit<ExperimentToPlan, 'sequences'>> & {
  readonly names?: readonly string[];
  readonly count?: number;
};

/** An affinity order by BLI of two sequences, unless told otherwise. */
export function buildExperiment({ names, count = 2, ...wish }: ExperimentWish = {}): ExperimentToPlan {
  const all = names ?? Array.from({ length: count }, (_, index) => `design-${index + 1}`);
  const id = wish.id ?? 'experiment-1';
  return {
    code: 'DEMO-001-001',
    experimentType: 'affinity',
    method: 'bli',
    targetKey: 'target-1',
    status: 'in_queue',
    nReplicates: 2,
    concentrationsM: FIVE_CONCENTRATIONS_M,
    ...wish,
    id,
    sequences: all.map((name, index) => ({ id: `${id}-sequence-${index + 1}`, name })),
  };
}

export function buildRequest(wish: Partial<PlanRequest> = {}): PlanRequest {
  return { seed: 7, size: 96, experiments: [buildExperiment()], controls: CONTROLS, ...wish };
}

/** What an order of melting temperatures differs in. */
export const MELTING: ExperimentWish = {
  experimentType: 'thermostability',
  method: null,
  targetKey: null,
  concentrationsM: [],
};

/** One request of each assay and layout, with `count` sequences in two replicates. */
export function listLayoutRequests(count: number): Readonly<Record<string, PlanRequest>> {
  const plain = { method: null, targetKey: null, concentrationsM: [], count } as const;
  return {
    'affinity by BLI': buildRequest({ experiments: [buildExperiment({ count })] }),
    'affinity by SPR': buildRequest({ experiments: [buildExperiment({ count, method: 'spr' })] }),
    'screening by BLI': buildRequest({
      experiments: [buildExperiment({ count, experimentType: 'screening', concentrationsM: [1e-7] })],
    }),
    'screening by SPR': buildRequest({
      experiments: [
        buildExperiment({ count, experimentType: 'screening', method: 'spr', concentrationsM: [1e-7] }),
      ],
    }),
    'melting in capillaries': buildRequest({
      experiments: [buildExperiment({ ...MELTING, count })],
    }),
    'melting with a dye': buildRequest({
      experiments: [buildExperiment({ ...MELTING, count })],
      layout: 'melt_wells',
      size: 384,
    }),
    fluorescence: buildRequest({
      experiments: [buildExperiment({ ...plain, experimentType: 'fluorescence' })],
    }),
    expression: buildRequest({
      experiments: [buildExperiment({ ...plain, experimentType: 'expression' })],
      controls: STANDARD_CONTROLS,
    }),
  };
}

/** Throws for a request that cannot be planned, with its problems. */
export function requirePlan(request: PlanRequest): RunPlan {
  const made = runAtOnce(makePlan(request));
  if ('plan' in made) return made.plan;
  throw new Error(made.problems.map(({ message }) => message).join(' '));
}

export function listCodes(problems: readonly PlanProblem[]): string[] {
  return problems.map(({ code }) => code);
}
