import type { Keyring } from '#core/capability.ts';
import { DAY_MS } from '#core/clock.ts';
import type { Work } from '#core/context.ts';
import { grantByOperator } from '#core/grants.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import { recordChange } from '../audit/record-change.ts';
import { FIRST_START } from '../audit/rules.ts';
import { issueRootToken } from './issue-root-token.ts';
import { selectTokenStanding } from './store.ts';

const LIFETIME_MS = 365 * DAY_MS;

interface Issuer {
  readonly work: Work;
  readonly database: Database;
  readonly keyring: Keyring;
  readonly founder: { readonly organizationId: string; readonly userId: string };
}

/** The token that a sandbox leaves for its own machine: that of an earlier start while it is valid, else a new one. */
export async function ensureMachineToken(issuer: Issuer, kept: string | undefined): Promise<string> {
  if (kept !== undefined && (await isWorking(issuer, kept))) return kept;
  const { work, database, keyring, founder } = issuer;
  const { organizationId, userId } = founder;
  return database.runTransaction(async (tx) => {
    const grant = grantByOperator({ organizationId, role: 'admin' });
    const issued = await issueRootToken(work, tx, keyring, grant, {
      userId,
      name: 'Command line of this machine',
      lifetimeMs: LIFETIME_MS,
    });
    await recordChange(work, tx, createOrganizationScope(organizationId), {
      ...FIRST_START,
      operation: 'create_token',
      subject: issued.id,
    });
    return issued.value;
  });
}

async function isWorking({ work, database, keyring }: Issuer, token: string): Promise<boolean> {
  try {
    const claims = await keyring.verify(token, work.clock.now());
    const standing = await selectTokenStanding(createOrganizationScope(claims.org), database.read, claims);
    return standing !== undefined && !standing.revoked && standing.member_role !== null;
  } catch {
    return false;
  }
}
