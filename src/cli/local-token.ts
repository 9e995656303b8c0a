import { readFileSync } from 'node:fs';
import { DAY_MS } from '#core/clock.ts';
import { grantByOperator } from '#core/grants.ts';
import { createOrganizationScope } from '#core/scope.ts';
import { selectTokenStanding } from '#features/tokens/store.ts';
import { FIRST_START } from '#features/audit/rules.ts';
import { issueRootToken } from '#features/tokens/issue-root-token.ts';
import { recordChange } from '#features/audit/record-change.ts';
import type { Service } from '../main.ts';

const LIFETIME_MS = 365 * DAY_MS;

/** The token of an earlier start while it is valid, else a new one. */
export async function ensureOwnToken(service: Service, file: string): Promise<string> {
  const storedToken = readKeptToken(file);
  if (storedToken !== undefined && (await isWorking(service, storedToken))) return storedToken;
  const { organizationId, userId } = service.founder;
  return service.database.runTransaction(async (tx) => {
    const grant = grantByOperator({ organizationId, role: 'admin' });
    const issued = await issueRootToken(service.work, tx, service.keyring, grant, {
      userId,
      name: 'Command line of this machine',
      lifetimeMs: LIFETIME_MS,
    });
    await recordChange(service.work, tx, createOrganizationScope(organizationId), {
      ...FIRST_START,
      operation: 'create_token',
      subject: issued.id,
    });
    return issued.value;
  });
}

function readKeptToken(file: string): string | undefined {
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof content !== 'object' || content === null || !('token' in content)) return undefined;
    return typeof content.token === 'string' ? content.token : undefined;
  } catch {
    return undefined;
  }
}

async function isWorking(service: Service, token: string): Promise<boolean> {
  try {
    const claims = await service.keyring.verify(token, service.work.clock.now());
    const standing = await selectTokenStanding(
      createOrganizationScope(claims.org),
      service.database.read,
      claims,
    );
    return standing !== undefined && !standing.revoked && standing.member_role !== null;
  } catch {
    return false;
  }
}
