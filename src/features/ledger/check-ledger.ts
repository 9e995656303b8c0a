/** The ledger check: the ledger by itself, then the ledger against every outside book. Runs daily or on request. */
import { addMs, DAY_MS, HOUR_MS } from '#core/clock.ts';
import type { Work } from '#core/context.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import { selectLatestOfOperation } from '../audit/store.ts';
import { enqueue } from '../jobs/store.ts';
import { checkLedger, selectTrialBalance, type TrialBalanceRow } from './store.ts';
import type { LedgerFinding } from './finding.ts';
import { hasPostings } from './outside-store.ts';
import type { OutsideComparison } from './book-tally.ts';
import type { ComparisonParts } from './compare-books.ts';
import { recordChange } from '../audit/record-change.ts';
import { compareBooks } from './compare-books.ts';

export const CHECK_LEDGER = 'check_ledger';

const installation = createOrganizationScope(INSTALLATION_ID);
/**
 * The daily check looks back more than a day, so that a later check covers transfers that were under way at an
 * earlier one.
 */
const DAILY_SPAN_MS = 3 * DAY_MS;
/** Wait after a check in which an outside did not answer. */
const AGAIN_AFTER_MS = HOUR_MS;
const FINDINGS_IN_THE_TRAIL = 20;

export interface LedgerReport extends OutsideComparison {
  readonly accounts: readonly TrialBalanceRow[];
}

export async function createLedgerReport(parts: ComparisonParts, since: Date): Promise<LedgerReport> {
  // Both read one snapshot of the data, so that a concurrent payment does not look like an error.
  const books = await parts.database.runTransaction(
    async (tx) => ({
      accounts: await selectTrialBalance(labScope, tx),
      findings: await checkLedger(labScope, tx),
    }),
    { isolation: 'repeatable read', readOnly: true },
  );
  const comparison = await compareBooks(parts, since);
  return {
    accounts: books.accounts,
    ...comparison,
    findings: removeDuplicates([...comparison.findings, ...books.findings]),
  };
}

/** Drops findings that both checks report. */
function removeDuplicates(findings: readonly LedgerFinding[]): LedgerFinding[] {
  const byName = new Map(
    findings.map((finding) => [`${finding.kind} ${finding.subject}`, finding] as const).reverse(),
  );
  return [...byName.values()].sort((a, b) => (`${a.kind} ${a.subject}` < `${b.kind} ${b.subject}` ? -1 : 1));
}

type Outcome = 'clean' | 'findings' | 'not compared';

export function decideOutcome(report: Pick<LedgerReport, 'findings' | 'not_compared'>): Outcome {
  if (report.findings.length > 0) return 'findings';
  return report.not_compared.length > 0 ? 'not compared' : 'clean';
}

/**
 * The chore: requests a check once a day, and every hour while one could not be finished. An empty ledger needs none.
 */
export async function requestLedgerCheck({ clock }: Work, database: Database): Promise<void> {
  const now = clock.now();
  const last = await selectLatestOfOperation(installation, database.read, CHECK_LEDGER, addMs(now, -DAY_MS));
  const waitMs = last?.details?.outcome === 'not compared' ? AGAIN_AFTER_MS : DAY_MS;
  const isFresh = last !== undefined && addMs(new Date(last.created_at), waitMs) > now;
  if (isFresh || !(await hasPostings(labScope, database.read))) return;
  const job = { kind: CHECK_LEDGER, payload: {}, dueAt: now, uniqueKey: CHECK_LEDGER };
  await database.runTransaction((tx) => enqueue(labScope, tx, job, now));
}

/** The job: records the findings in the audit trail of the installation and passes them to `tell`. */
export async function checkLedgerDaily(
  work: Work,
  parts: Omit<ComparisonParts, 'clock'>,
  tell: (outcome: Outcome, report: LedgerReport) => void,
): Promise<void> {
  const { clock } = work;
  const report = await createLedgerReport({ ...parts, clock }, addMs(clock.now(), -DAILY_SPAN_MS));
  const outcome = decideOutcome(report);
  const { findings, more_findings: more, since, rails, in_flight: flights, not_compared } = report;
  await parts.database.runTransaction((tx) =>
    recordChange(work, tx, installation, {
      actorKind: 'worker',
      actor: 'worker',
      operation: CHECK_LEDGER,
      subject: INSTALLATION_ID,
      details: {
        outcome,
        since,
        rails,
        in_flight: flights.length,
        not_compared,
        findings: findings.slice(0, FINDINGS_IN_THE_TRAIL),
        more_findings: more + Math.max(0, findings.length - FINDINGS_IN_THE_TRAIL),
      },
    }),
  );
  tell(outcome, report);
}
