/**
 * Writes OAuth actions of programs and people to the audit trail, and makes the token of a program that was let in;
 * each commits with its change.
 */
import type { BrowserOrigin, Work } from '#core/context.ts';
import type { Grant } from '#core/grants.ts';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { INSTALLATION_ID } from '../../audit/rules.ts';
import { recordAct } from '../../audit/record-change.ts';
import { findUser } from '../../organizations/store.ts';
import { setRedirectUris, deleteProgramAccess } from './store.ts';
import type { PeopleRequest } from '../port.ts';
import { insertProgramToken, findProgramOrganization } from '../../tokens/program-store.ts';
import { revokeBranch } from '../../tokens/store.ts';
import { recordIn } from '../trail.ts';

type Effect = (
  tx: Transaction,
  origin: BrowserOrigin | undefined,
  by: string | undefined,
  changed: {
    readonly kind: 'created' | 'updated' | 'removed';
    readonly row: Readonly<Record<string, unknown>>;
    readonly grant: Grant | undefined;
    readonly more: PeopleRequest;
  },
) => Promise<void>;

/** Effects by table. */
export function createOAuthEffects(work: Work): Readonly<Record<string, Effect>> {
  const record = (
    tx: Transaction,
    origin: BrowserOrigin | undefined,
    entry: {
      readonly organizationId: string;
      readonly userId: string | null;
      readonly actor: string;
      readonly operation: string;
      readonly subject: string;
      readonly details: Readonly<Record<string, unknown>>;
    },
  ): Promise<void> =>
    recordAct(work, tx, createOrganizationScope(entry.organizationId), {
      by: { userId: entry.userId, userEmail: entry.actor },
      operation: entry.operation,
      subject: entry.subject,
      details: entry.details,
      origin,
    });

  return {
    async oauth_clients(tx, origin, _by, { kind, row, more }) {
      if (kind !== 'created') return;
      const redirectUris = more.redirectUris ?? [];
      await setRedirectUris(tx, String(row.client_id), redirectUris);
      await record(tx, origin, {
        organizationId: INSTALLATION_ID,
        userId: null,
        actor: 'a program that registers itself',
        operation: 'register_oauth_client',
        subject: String(row.client_id),
        details: { name: row.name ?? null, redirect_uris: redirectUris },
      });
    },
    async oauth_consents(tx, origin, _by, { kind, row, grant, more }) {
      const { user_id: userId } = row;
      const { program } = more;
      if (kind === 'removed') return;
      if (typeof userId !== 'string' || program === undefined || row.reference_id !== program.id)
        throw new Error('a consent has no user or program');
      if (grant === undefined) throw new Error('a consent was stored without a grant');
      const { id, name, organizationId, limits, sessionId: session_id, endsAt: ends_at } = program;
      const token = { id, name, limits, session_id, ends_at, user_id: userId };
      await insertProgramToken(createOrganizationScope(organizationId), tx, grant, {
        ...token,
        client_id: String(row.client_id),
        created_at: work.clock.now(),
      });
      const user = await findUser(tx, userId);
      await record(tx, origin, {
        organizationId,
        userId,
        actor: user?.email ?? userId,
        operation: 'consent_to_oauth_client',
        subject: String(row.client_id),
        details: { scopes: row.scopes, token_id: id, limits },
      });
    },
  };
}

interface ProgramOfPerson {
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
  origin: BrowserOrigin,
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
