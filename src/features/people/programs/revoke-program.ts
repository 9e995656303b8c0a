import type { Work } from '#core/context.ts';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { deleteProgramAccess } from './store.ts';
import type { Origin } from '../port.ts';
import { findProgramOrganization } from '../../tokens/program-store.ts';
import { revokeBranch } from '../../tokens/store.ts';
import { recordIn } from '../trail.ts';

export interface ProgramOfPerson {
  readonly userId: string;
  readonly email: string;
  readonly programTokenId: string;
}

/**
 * Ends the access of one of a person's programs at once: its token is revoked, and it can refresh nothing. Returns
 * whether the person has such a program.
 */
export async function revokeProgram(
  work: Work,
  tx: Transaction,
  origin: Origin,
  { userId, email, programTokenId }: ProgramOfPerson,
): Promise<boolean> {
  const organizationId = await findProgramOrganization(labScope, tx, { id: programTokenId, userId });
  if (organizationId === undefined) return false;
  const branch = { tokenId: programTokenId, userId, within: null, at: work.clock.now() };
  await revokeBranch(createOrganizationScope(organizationId), tx, branch);
  await deleteProgramAccess(tx, programTokenId);
  await recordIn(work, tx, organizationId, {
    event: 'disconnect_program',
    person: { id: userId, email },
    origin,
    subject: programTokenId,
  });
  return true;
}
