/** What keeps a planned run from starting. Every reason is named at once. */
import type { ExperimentStatus, InvoiceStatus } from '#core/lifecycle.ts';
import { joinFirst } from '#core/word-list.ts';
import type { PlanProblem } from './plan.ts';

export interface ExperimentToStart {
  readonly code: string;
  readonly status: ExperimentStatus;
  /** Names of materials that a run cannot use today. */
  readonly missing: readonly string[];
  readonly invoiceStatus: InvoiceStatus | null;
  /** Why it may start before the payment; null where nobody allowed it. */
  readonly unpaidReason: string | null;
}

export interface RunToStart {
  readonly instrument: string | null;
  readonly operator: string | null;
  readonly experiments: readonly ExperimentToStart[];
  readonly problems: readonly PlanProblem[];
}

const NAMES_MAX = 5;
const PLAN_ERRORS_MAX = 20;

/** In sentences, each with what to do. */
export function findStartProblems({ instrument, operator, experiments, problems }: RunToStart): string[] {
  const errors = problems.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  return [
    ...(instrument === null ? ['The run has no instrument: name it.'] : []),
    ...(operator === null ? ['The run has no operator: name the person at the instrument.'] : []),
    ...experiments.flatMap(findExperimentProblems),
    ...errors.slice(0, PLAN_ERRORS_MAX),
  ];
}

function findExperimentProblems({
  code,
  status,
  missing,
  invoiceStatus,
  unpaidReason,
}: ExperimentToStart): string[] {
  const found: string[] = [];
  if (status !== 'in_queue')
    found.push(`${code} is ${status}, and a run starts from in_queue: wait for it, or plan without it.`);
  if (missing.length > 0)
    found.push(
      `${code} lacks ${joinFirst(missing, NAMES_MAX)}: record the materials when they are in the lab.`,
    );
  if (invoiceStatus !== 'paid' && unpaidReason === null)
    found.push(
      `${code} is not paid (its invoice is ${invoiceStatus ?? 'missing'}): wait for the payment, or have a manager allow it to start unpaid.`,
    );
  return found;
}
