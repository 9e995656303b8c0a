/** `assayer audit`: verifies that the audit trail is unchanged, in the database or as a client, and keeps its head. */
import { verifyAuditTrail } from '#features/audit/chain.ts';
import { findHeadProblems } from '#features/installation/check-kept-heads.ts';
import { connect, type Api } from './api.ts';
import { CommandError, RefusedError } from './command-error.ts';
import { concludeAudit, createDatabaseReport, createServedReport, type AuditReport } from './audit-report.ts';
import { readKeptHead, requestHead, requestKeys, requireHead, verifyServedTrail } from './audit-trail.ts';
import type { ConnectionOptions } from './connection.ts';
import { withKeptDatabase } from './open-database.ts';
import { CONNECTION, type Parsed, createUsageError } from './options.ts';
import { print } from './terminal.ts';

export const guide = {
  name: 'audit',
  usage: [
    'verify [--json] [--data-dir DIR]',
    'verify --since HEAD [--since HEAD …] [--database] [--json]',
    'verify --remote [--json]',
    'head',
  ],
  about: `head prints the signed end of your organization's audit trail. Keep it in a file outside the service.

verify --since checks the trail that the service answers you: every entry from the first, the chain, and that it still
contains the kept head. That shows entries that were removed from the end, changed, put in another order or written
anew, and a restored older backup. Needs a token of an administrator.`,
  options: {
    'since HEAD…': 'a file that "assayer audit head" wrote, or - for standard input; may be repeated',
    remote: 'check what the service answers, without a kept head',
    database: 'check the database that the settings name, and that it contains the heads of --since',
    json: 'the verdict of verify as JSON: outcome, entries, heads, problems',
    ...CONNECTION,
  },
  notes: `Without --since and --remote, verify checks the chain of every organization in the database that the settings name and
names the first error in each; the service may go on running.

Exit codes: 0 every chain is intact, 1 one is broken. Further verbs: "assayer audit list" and keys.`,
  examples: ['audit head > head-2026-01.json', 'audit verify --since head-2026-01.json'],
};

export async function run({ values, positionals: [verb] }: Parsed<typeof guide>): Promise<void> {
  const { since = [] } = values;
  if (verb === 'head') return printHead(connect(values));
  if (values.database === true && values.remote === true)
    throw createUsageError(guide, '--database and --remote exclude each other');
  const isRemote = values.database !== true && (since.length > 0 || values.remote === true);
  const report = isRemote
    ? await verifyRemotely(values, since)
    : await verifyDatabase(values['data-dir'], since);
  concludeAudit(report, values.json === true);
}

async function verifyDatabase(dataDir: string | undefined, files: readonly string[]): Promise<AuditReport> {
  const heads = await Promise.all(files.map(async (file) => ({ file, jws: await readKeptHead(file) })));
  return withKeptDatabase(dataDir, async (database) =>
    createDatabaseReport(await verifyAuditTrail(database), files, await findHeadProblems(database, heads)),
  );
}

async function printHead(api: Api): Promise<void> {
  print(JSON.stringify(await requestHead(api, await requestKeys(api)), null, 2));
}

async function verifyRemotely(options: ConnectionOptions, files: readonly string[]): Promise<AuditReport> {
  const storedHeads = await Promise.all(files.map(async (file) => ({ file, jws: await readKeptHead(file) })));
  const api = connect(options);
  const keys = await requestKeys(api);
  const heads = storedHeads.map(({ file, jws }) => ({ file, head: requireHead(jws, keys, file) }));
  const present = await requestHead(api, keys).catch((error: unknown) => {
    if (!(error instanceof RefusedError) || error.refusal.status !== 401) throw error;
    throw new CommandError(
      `${error.message}\nIf no token of the organization works any more, it was removed: its kept head proves that it existed.`,
    );
  });
  const verdict = await verifyServedTrail(
    api,
    present,
    heads.map(({ head }) => head),
  );
  return createServedReport(verdict, heads);
}
