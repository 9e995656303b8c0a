/** What the operations on stored runs share: a run with its experiments as staff read it, and what keeps it from starting. */
import { fail } from '#core/failures.ts';
import { labScope } from '#core/scope.ts';
import type { Sql, Transaction } from '#core/sql.ts';
import { isUsable, formatDay } from '../materials/rules.ts';
import { selectMaterials } from '../materials/store.ts';
import { findPlanProblems } from './check-plan.ts';
import type { PlanProblem, PlanRequest } from './plan.ts';
import { findRun, lockRun, selectRunExperiments, type RunExperimentRow, type StoredRun } from './store.ts';
import { listRunFileKinds } from './run-files/formats.ts';
import { describeProblems, parsePlan, readPlanRequest } from './plan-request.ts';
import type { ExperimentStatus, InvoiceStatus } from '#core/lifecycle.ts';
import { joinFirst } from '#core/words.ts';

/** What keeps a planned run from starting. Every reason is named at once. */
interface ExperimentToStart {
  readonly code: string;
  readonly status: ExperimentStatus;
  /** Names of materials that a run cannot use today. */
  readonly missing: readonly string[];
  readonly invoice_status: InvoiceStatus | null;
  /** Why it may start before the payment; null where nobody allowed it. */
  readonly unpaid_reason: string | null;
}

interface RunToStart {
  readonly instrument: string | null;
  readonly operator: string | null;
  readonly experiments: readonly ExperimentToStart[];
  readonly problems: readonly PlanProblem[];
}

const NAMES_MAX = 5;
const PLAN_ERRORS_MAX = 20;

/** In sentences, each with what to do. */
function findStartProblems({ instrument, operator, experiments, problems }: RunToStart): string[] {
  const errors = problems.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  return [
    ...(instrument === null ? ['The run has no instrument: name it.'] : []),
    ...(operator === null ? ['The run has no operator: name the person at the instrument.'] : []),
    ...experiments.flatMap(findExperimentProblems),
    ...errors.slice(0, PLAN_ERRORS_MAX),
  ];
}

function findExperimentProblems({ code, status, missing, ...payment }: ExperimentToStart): string[] {
  const found: string[] = [];
  if (status !== 'in_queue')
    found.push(`${code} is ${status}, and a run starts from in_queue: wait for it, or plan without it.`);
  if (missing.length > 0)
    found.push(
      `${code} lacks ${joinFirst(missing, NAMES_MAX)}: record the materials when they are in the lab.`,
    );
  if (payment.invoice_status !== 'paid' && payment.unpaid_reason === null)
    found.push(
      `${code} is not paid (its invoice is ${payment.invoice_status ?? 'missing'}): wait for the payment, or have a manager allow it to start unpaid.`,
    );
  return found;
}

/** Throws `lab_run_not_found`. */
export async function requireRun(sql: Sql, idOrCode: string): Promise<StoredRun> {
  const run = await findRun(sql, idOrCode);
  if (run === undefined) throw fail('lab_run_not_found');
  return run;
}

/** Locks a run that is not started yet; throws `lab_run_not_found` and `run_not_planned`. */
export async function holdPlannedRun(tx: Transaction, idOrCode: string, action: string): Promise<StoredRun> {
  const run = await lockRun(tx, idOrCode);
  if (run === undefined) throw fail('lab_run_not_found');
  if (run.status !== 'planned') throw fail('run_not_planned', { status: run.status, action });
  return run;
}

/** A run with the state of its experiments, and everything that keeps it from starting. */
export interface JudgedRun {
  readonly run: StoredRun;
  readonly experiments: readonly (RunExperimentRow & ExperimentToStart)[];
  readonly problems: readonly PlanProblem[];
  readonly startProblems: readonly string[];
}

/** Judges a run on this day. Only a planned run is held against its experiments: later they move on. */
export async function checkRun(sql: Sql, run: StoredRun, at: Date, known?: PlanRequest): Promise<JudgedRun> {
  const rows = await selectRunExperiments(labScope, sql, run.id);
  const ids = rows.map(({ experiment_id: id }) => id);
  const today = formatDay(at);
  const unusable = Map.groupBy(
    (await selectMaterials(labScope, sql, ids)).filter((material) => !isUsable(material, today)),
    (material) => material.experiment_id,
  );
  const experiments = rows.map((row) => ({
    ...row,
    missing: (unusable.get(row.experiment_id) ?? []).map(({ name }) => name),
  }));
  if (run.status !== 'planned') return { run, experiments, problems: [], startProblems: [] };
  const request = known ?? (await readPlanRequest(sql, run.request));
  const problems = findPlanProblems(parsePlan(run.plan), request);
  const { instrument, operator } = run;
  const startProblems = findStartProblems({ instrument, operator, experiments, problems });
  return { run, experiments, problems, startProblems };
}

/** `request` is what the plan is held against, if the caller has read it. */
export async function describeRun(sql: Sql, run: StoredRun, at: Date, request?: PlanRequest) {
  return describeJudgedRun(await checkRun(sql, run, at, request));
}

export function describeJudgedRun({ run, experiments, problems, startProblems }: JudgedRun) {
  const { request, plan, started_by, cancel_reason, ...item } = run;
  return {
    ...item,
    started_by,
    cancel_reason,
    experiments: experiments.map((each) => ({
      experiment_id: each.experiment_id,
      experiment_code: each.code,
      organization_name: each.organization_name,
      status: each.status,
      n_missing_materials: each.missing.length,
      invoice_status: each.invoice_status,
      unpaid_reason: each.unpaid_reason,
    })),
    start_problems: [...startProblems],
    request,
    plan,
    files: listRunFileKinds(plan),
    ...describeProblems(problems),
  };
}

/** Throws `run_plan_refused` unless there is no problem. */
export function refusePlan(found: readonly PlanProblem[]): void {
  const [first] = found;
  if (first === undefined) return;
  const problems = found.map(({ plate, well, message }) => ({
    path: ['plan', plate, well].filter((part) => part !== null).join('.'),
    message,
  }));
  throw fail('run_plan_refused', { reason: first.message }, { problems });
}
