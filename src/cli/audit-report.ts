/** The verdict on an audit trail, as text and as JSON. */
import { formatCount } from '#core/words.ts';
import type { AuditHead } from '#features/audit/head.ts';
import type { AuditProof, BrokenChain } from '#features/audit/chain.ts';
import type { Verdict } from './audit-trail.ts';
import { CommandError } from './command-error.ts';
import { print } from './terminal.ts';

interface AuditProblem {
  /** Null for the chain of the installation, and where a kept head is not contained in the trail. */
  readonly organization_id: string | null;
  /** Position of the first entry that is wrong; null where no single entry is. */
  readonly position: number | null;
  /** Null where the entry itself is missing. */
  readonly entry_id: string | null;
  /** The whole sentence. */
  readonly message: string;
}

export interface AuditReport {
  readonly outcome: 'intact' | 'broken';
  /** What was checked: the answers of a service, or the database of the settings. */
  readonly source: 'service' | 'database';
  readonly entries: number;
  readonly organizations: number;
  /** Entries that are written but not chained yet; null where only the service knows. */
  readonly waiting: number | null;
  /** The kept heads with which the trail was compared. */
  readonly heads: readonly {
    readonly file: string;
    readonly position: number | null;
    readonly signed_at: string | null;
  }[];
  readonly problems: readonly AuditProblem[];
}

interface ComparedHead {
  readonly file: string;
  readonly head: AuditHead;
}

/** The report on what a service answered. */
export function createServedReport(
  { entries, problems }: Verdict,
  heads: readonly ComparedHead[],
): AuditReport {
  return {
    outcome: problems.length === 0 ? 'intact' : 'broken',
    source: 'service',
    entries,
    organizations: 1,
    waiting: null,
    heads: heads.map(({ file, head }) => ({ file, position: head.position, signed_at: head.signed_at })),
    problems: problems.map((problem) => createProblem(`The audit trail is broken: ${problem}.`)),
  };
}

/** The report on a database; the signatures of the heads are among the problems. */
export function createDatabaseReport(
  { organizations, entries, waiting, broken }: AuditProof,
  files: readonly string[],
  headProblems: readonly string[],
): AuditReport {
  const problems = [
    ...broken.map((chain) => ({ ...createProblem(describeBreak(chain)), ...toPlace(chain) })),
    ...headProblems.map((problem) => createProblem(problem)),
  ];
  return {
    outcome: problems.length === 0 ? 'intact' : 'broken',
    source: 'database',
    entries,
    organizations,
    waiting,
    heads: files.map((file) => ({ file, position: null, signed_at: null })),
    problems,
  };
}

/** Prints the report, and fails if the trail is broken. */
export function concludeAudit(report: AuditReport, isJson: boolean): void {
  if (isJson) print(JSON.stringify(report, null, 2));
  if (report.outcome === 'broken')
    throw new CommandError(report.problems.map(({ message }) => message).join('\n'));
  if (!isJson) print(describeIntact(report));
}

function describeIntact({ source, entries, organizations, waiting, heads }: AuditReport): string {
  const changes = `The audit trail is intact: ${formatCount(entries, 'change')}`;
  if (source === 'database') {
    const rest =
      waiting === 0 || waiting === null ? '' : ` ${formatCount(waiting, 'newer change')} not chained yet.`;
    return `${changes} of ${formatCount(organizations, 'organization')}.${rest}`;
  }
  const since = heads.map(
    ({ position, signed_at: signedAt }) => ` It contains entry ${position} of the head of ${signedAt}.`,
  );
  return `${changes}.${since.join('')}`;
}

function createProblem(message: string): AuditProblem {
  return { organization_id: null, position: null, entry_id: null, message };
}

function toPlace({ organizationId, position, entryId }: BrokenChain): Omit<AuditProblem, 'message'> {
  return { organization_id: organizationId, position, entry_id: entryId };
}

function describeBreak({ organizationId, position, entryId, problem }: BrokenChain): string {
  const entry = entryId === null ? '' : ` (${entryId})`;
  const owner = organizationId === null ? 'the installation' : `organization ${organizationId}`;
  return `Broken at entry ${position}${entry} of ${owner}: ${problem}.`;
}
