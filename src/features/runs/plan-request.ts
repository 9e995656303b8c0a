/** The request of a plan, from what was sent and what the experiments order; the plan and its problems on the wire. */
import { fail } from '#core/failures.ts';
import { labScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { findExperiment, type ExperimentRow } from '../experiments/store.ts';
import { isStartable } from './check-plan.ts';
import type { PlanEdit } from './edit-plan.ts';
import type { EditInput, PlanRecord, RunRequestInput, WellContent } from './plan-schemas.ts';
import type { ExperimentToPlan, PlannedContent, PlanProblem, PlanRequest, RunPlan } from './plan.ts';
import { selectSequencesOfExperiment } from '../sequences/store.ts';

const PROBLEMS_MAX = 200;
const NM_PER_M = 1e9;

/** Reads what each experiment orders; one that is named twice counts once. Throws `experiment_not_found`. */
export async function readPlanRequest(sql: Sql, input: RunRequestInput): Promise<PlanRequest> {
  return buildPlanRequest(sql, await readExperimentsToPlan(sql, input), input);
}

/** Each experiment once, in the order of the request. Throws `experiment_not_found`. */
export async function readExperimentsToPlan(
  sql: Sql,
  { experiment_ids: named }: RunRequestInput,
): Promise<ExperimentRow[]> {
  const rows = new Map<string, ExperimentRow>();
  for (const idOrCode of new Set(named)) {
    const row = await findExperiment(labScope, sql, idOrCode);
    if (row === undefined) throw fail('experiment_not_found');
    rows.set(row.id, row);
  }
  return [...rows.values()];
}

export async function buildPlanRequest(
  sql: Sql,
  rows: readonly ExperimentRow[],
  input: RunRequestInput,
): Promise<PlanRequest> {
  const { positive, negatives, standard } = input.controls;
  const experiments: ExperimentToPlan[] = [];
  for (const row of rows) experiments.push(await readExperiment(sql, row, input));
  return {
    seed: input.seed,
    size: input.size,
    layout: input.layout,
    capillaries: input.capillaries,
    experiments,
    controls: {
      positive,
      negatives,
      standard:
        standard === null ? null : { sample: standard.sample, concentrationsM: standard.concentrations_m },
    },
  };
}

async function readExperiment(
  sql: Sql,
  row: ExperimentRow,
  { concentrations_m: chosenM = [] }: RunRequestInput,
): Promise<ExperimentToPlan> {
  const sequences = await selectSequencesOfExperiment(labScope, sql, row.id);
  return {
    id: row.id,
    code: row.code,
    experimentType: row.experiment_type,
    method: row.method,
    status: row.status,
    targetKey: row.target_id ?? (row.requested_target === null ? null : JSON.stringify(row.requested_target)),
    nReplicates: row.n_replicates,
    concentrationsM: listConcentrations(row, chosenM),
    sequences: sequences.map(({ id, name }) => ({ id, name })),
  };
}

/** Those of the order; where a binding order has none, those that the lab chose. The plan adds buffer itself. */
function listConcentrations(
  { method, antigen_concentrations_nm: orderedNm }: ExperimentRow,
  chosenM: readonly number[],
): readonly number[] {
  if (orderedNm !== null) return orderedNm.filter((nM) => nM > 0).map((nM) => nM / NM_PER_M);
  return method === null ? [] : chosenM;
}

export function parsePlan({ version, seed, layout, size, plates }: PlanRecord): RunPlan {
  return {
    version,
    seed,
    layout,
    size,
    plates: plates.map(({ name, wells }) => ({
      name,
      wells: wells.map((well) => ({ well: well.well, order: well.order, ...parseContent(well) })),
    })),
  };
}

function parseContent(content: WellContent): PlannedContent {
  const { role, sample, replicate } = content;
  return {
    role,
    sample,
    replicate,
    concentrationM: content.concentration_m,
    experimentId: content.experiment_id,
    sequenceId: content.sequence_id,
  };
}

export function parseEdit(edit: EditInput): PlanEdit {
  return edit.kind === 'exchange' ? { ...edit, content: parseContent(edit.content) } : edit;
}

export function describePlan({ version, seed, layout, size, plates }: RunPlan): PlanRecord {
  return {
    version,
    seed,
    layout,
    size,
    plates: plates.map(({ name, wells }) => ({
      name,
      wells: wells.map(
        ({ well, order, role, sample, replicate, concentrationM, experimentId, sequenceId }) => ({
          well,
          order,
          role,
          sample,
          replicate,
          concentration_m: concentrationM,
          experiment_id: experimentId,
          sequence_id: sequenceId,
        }),
      ),
    })),
  };
}

/** Describes the problems, errors first, and whether a run can start with them. */
export function describeProblems(found: readonly PlanProblem[]) {
  const errors = found.filter(({ severity }) => severity === 'error');
  const warnings = found.filter(({ severity }) => severity === 'warning');
  return {
    problems: [...errors, ...warnings].slice(0, PROBLEMS_MAX),
    n_problems: found.length,
    is_startable: isStartable(found),
  };
}
