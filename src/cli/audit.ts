/** `assayer audit verify`: verifies that the audit trail is unchanged. */
import { verifyAuditTrail, type AuditProof, type BrokenChain } from '#workflows/audit/verify-audit-trail.ts';
import { CommandError } from './command-error.ts';
import { withDatabase } from './operator-database.ts';
import { parseOptions, createUsageError, type CommandGuide } from './options.ts';
import { formatCount } from './words.ts';
import { print } from './terminal.ts';

const guide: CommandGuide = {
  name: 'audit',
  operands: ['verify'],
  help: `Usage: assayer audit verify [--data-dir DIR]

Checks the chain of every organization's audit trail from its first entry and names the first error in each.
Works on the database that the settings name; the service may go on running.

Exit codes: 0 every chain is intact, 1 one is broken.`,
};

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, {
    'data-dir': { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  });
  if (parsed === undefined) return;
  const [verb] = parsed.positionals;
  if (verb !== 'verify') throw createUsageError(guide, `There is nothing called "audit ${verb}"`);
  reportProof(await withDatabase(parsed.values['data-dir'], verifyAuditTrail));
}

function reportProof({ organizations, entries, waiting, broken }: AuditProof): void {
  if (broken.length > 0) throw new CommandError(broken.map(describeBreak).join('\n'));
  const rest = waiting === 0 ? '' : ` ${formatCount(waiting, 'newer change')} not chained yet.`;
  print(
    `The audit trail is intact: ${formatCount(entries, 'change')} of ${formatCount(organizations, 'organization')}.${rest}`,
  );
}

function describeBreak({ organizationId, position, entryId, problem }: BrokenChain): string {
  const entry = entryId === null ? '' : ` (${entryId})`;
  const owner = organizationId === null ? 'the installation' : `organization ${organizationId}`;
  return `Broken at entry ${position}${entry} of ${owner}: ${problem}.`;
}
