/**
 * The plan as it travels with the forms of its page, because nothing stores it on the way.
 * This folder: the pages on which staff plan runs. Not here: rules of plans (`features/runs`).
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { fail } from '#core/failures.ts';
import { remember } from '#core/remember.ts';
import { Nullable, OneOf, strict, Type, type Static } from '#core/schema.ts';
import { Edit, Plan, RunRequest } from '../../plan-schemas.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** Edits that can be undone. */
export const UNDO_MAX = 50;
/** Above the largest plan, whose wells the planner limits. */
const PLAN_BYTES_MAX = 8 * 1024 * 1024;
/** Above what the largest plan takes after compression and encoding. */
export const PLAN_FORM_BYTES_MAX = 4 * 1024 * 1024;
const PROBLEMS_MAX = 250;

const place = Nullable(Type.String({ maxLength: 100 }));
const Problem = Type.Object(
  {
    code: Type.String({ maxLength: 100 }),
    severity: OneOf(['error', 'warning']),
    message: Type.String({ maxLength: 5_000 }),
    plate: place,
    well: place,
  },
  strict,
);
const Sample = Type.Object(
  {
    sample: Type.String({ maxLength: 300 }),
    experiment_id: Type.String({ maxLength: 100 }),
    sequence_id: Type.String({ maxLength: 100 }),
  },
  strict,
);

const PlanState = Type.Object(
  {
    request: RunRequest,
    plan: Plan,
    /** Which sequence each name stands for, also when an edit has emptied all its wells. */
    samples: Type.Array(Sample, { maxItems: 10_000 }),
    /** Groups of edits that undo what was done, the latest last. */
    undo: Type.Array(Type.Array(Edit, { maxItems: 100 }), { maxItems: UNDO_MAX }),
    problems: Type.Array(Problem, { maxItems: PROBLEMS_MAX }),
    n_problems: Type.Integer(),
    is_startable: Type.Boolean(),
  },
  strict,
);
export type PlanState = Static<typeof PlanState>;

/** Compiled for the first form, so that a service starts sooner. */
const loadChecks = remember(() => {
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  return {
    isPlanState: ajv.compile<PlanState>(PlanState),
    isPlanMemory: ajv.compile<PlanMemory>(PlanMemory),
  };
});

type Judged = Pick<PlanState, 'request' | 'problems' | 'n_problems' | 'is_startable'>;

/** Begins a state with a plan; `known` has names whose wells earlier edits may have emptied. */
export function createPlanState(
  { request, problems, n_problems, is_startable }: Judged,
  plan: PlanState['plan'],
  known: PlanState['samples'] = [],
): PlanState {
  const samples = new Map(known.map((each) => [each.sample, each] as const));
  for (const well of plan.plates.flatMap(({ wells }) => wells)) {
    const { sample, experiment_id, sequence_id } = well;
    if (experiment_id !== null && sequence_id !== null)
      samples.set(sample, { sample, experiment_id, sequence_id });
  }
  return { request, plan, samples: [...samples.values()], undo: [], problems, n_problems, is_startable };
}

/** Writes a state as one field of a form. */
export function packPlan(state: PlanState | PlanMemory): string {
  return deflateRawSync(JSON.stringify(state)).toString('base64url');
}

/** Reads the field of a form; throws `invalid_request` for one that no page of ours wrote. */
export function unpackPlan(field: string): PlanState {
  const state = parsePacked(field);
  const { isPlanState } = loadChecks();
  if (isPlanState(state)) return state;
  throw fail('invalid_request', { reason: 'the form has no readable plan. Plan the run again.' });
}

/** What the page of a stored run remembers; the plan itself is stored. */
const { samples, undo } = PlanState.properties;
const PlanMemory = Type.Object({ samples, undo }, strict);
export type PlanMemory = Static<typeof PlanMemory>;

/** Reads what the page of a stored run remembers; another text is no memory, and nothing can be undone. */
export function unpackMemory(field: string): PlanMemory {
  const memory = parsePacked(field);
  const { isPlanMemory } = loadChecks();
  return isPlanMemory(memory) ? memory : { samples: [], undo: [] };
}

function parsePacked(field: string): unknown {
  try {
    const bytes = inflateRawSync(Buffer.from(field, 'base64url'), { maxOutputLength: PLAN_BYTES_MAX });
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
