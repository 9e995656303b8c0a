/** Effects of changes in the tables of the sign-in library; each commits with its change. */
import type { BrowserOrigin, Work } from '#core/context.ts';
import { grantBySignIn } from '#core/grants.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { hasJoinedByCopiedLink } from '../organizations/invitation-store.ts';
import { revokeTokensOfPerson, selectMemberRole } from '../organizations/store.ts';
import {
  deleteSessions,
  enterOrganization,
  selectHomeOrganization,
  revokeSessionTokens,
} from './session-store.ts';
import { deleteCredentials, findPerson, type Person } from './store.ts';
import { recordEverywhere, recordIn, type PersonEvent } from './trail.ts';

interface Changed {
  readonly kind: 'created' | 'updated' | 'removed';
  readonly row: Readonly<Record<string, unknown>>;
  /** The columns of an update. */
  readonly columns: readonly string[];
}

type Effect = (
  tx: Transaction,
  origin: BrowserOrigin | undefined,
  by: string | undefined,
  changed: Changed,
) => Promise<void>;

/** Effects by table. */
export function createPeopleEffects(work: Work): Readonly<Record<string, Effect>> {
  return {
    async sessions(tx, origin, by, { kind, row }) {
      if (kind === 'created') await startSession(work, tx, origin, by, row);
      if (kind === 'removed') await finishSession(work, tx, origin, row);
    },
    async accounts(tx, origin, _by, { kind, row, columns }) {
      const isPassword = kind === 'created' ? row.provider_id === 'credential' : columns.includes('password');
      if (isPassword) await recordPersonEvent(work, tx, origin, row, 'change_password');
    },
    // A provider that vouches for the address proves it, as a mailed link does.
    async users(tx, origin, _by, { kind, row, columns }) {
      if (kind === 'updated' && columns.includes('email_verified'))
        await dropUnprovenAccess(work, tx, origin, String(row.id));
    },
    async passkeys(tx, origin, _by, { kind, row }) {
      if (kind === 'created') await recordPersonEvent(work, tx, origin, row, 'add_passkey');
    },
  };
}

async function startSession(
  work: Work,
  tx: Transaction,
  origin: BrowserOrigin | undefined,
  by: string | undefined,
  row: Changed['row'],
): Promise<void> {
  const sessionId = String(row.id);
  const person = await requirePerson(tx, row);
  const activeId = row.active_organization_id;
  const organizationId =
    typeof activeId === 'string' ? activeId : await selectHomeOrganization(labScope, tx, person.id);
  if (organizationId === undefined) return;
  const tokenId = await moveSession(work, tx, { sessionId, userId: person.id, organizationId });
  await recordIn(work, tx, organizationId, {
    event: 'sign_in',
    person,
    origin,
    tokenId,
    subject: sessionId,
    details: by === undefined ? null : { by },
  });
}

/** Switches a session to an organization if its person is a member there; returns the id of a new token. */
export async function moveSession(
  work: Work,
  tx: Transaction,
  session: { readonly sessionId: string; readonly userId: string; readonly organizationId: string },
): Promise<string | null> {
  const { sessionId: session_id, userId: user_id, organizationId } = session;
  const scope = createOrganizationScope(organizationId);
  const role = await selectMemberRole(scope, tx, user_id);
  if (role === undefined) return null;
  const id = work.ids.createUuid();
  const grant = grantBySignIn({ organizationId, role });
  await enterOrganization(scope, tx, grant, { id, session_id, user_id, created_at: work.clock.now() });
  return id;
}

export async function finishSession(
  work: Work,
  tx: Transaction,
  origin: BrowserOrigin | undefined,
  row: Changed['row'],
): Promise<void> {
  const subject = String(row.id);
  await revokeSessionTokens(labScope, tx, subject, work.clock.now());
  const { active_organization_id: organizationId } = row;
  if (typeof organizationId !== 'string') return;
  const person = await requirePerson(tx, row);
  await recordIn(work, tx, organizationId, { event: 'sign_out', person, origin, subject });
}

/**
 * Ends whatever was set up before the address of a person was proved, where a copied link opened the account: its holder
 * may be another person, who would keep a password, a passkey, a session or a token.
 */
export async function dropUnprovenAccess(
  work: Work,
  tx: Transaction,
  origin: BrowserOrigin | undefined,
  userId: string,
): Promise<void> {
  if (!(await hasJoinedByCopiedLink(labScope, tx, userId))) return;
  await deleteCredentials(tx, userId);
  for (const session of await deleteSessions(tx, { user_id: userId }))
    await finishSession(work, tx, origin, { ...session, user_id: userId });
  await revokeTokensOfPerson(labScope, tx, userId, work.clock.now());
  await recordPersonEvent(work, tx, origin, { id: userId, user_id: userId }, 'prove_address');
}

async function recordPersonEvent(
  work: Work,
  tx: Transaction,
  origin: BrowserOrigin | undefined,
  row: Changed['row'],
  event: PersonEvent,
): Promise<void> {
  const person = await requirePerson(tx, row);
  await recordEverywhere(work, tx, { event, person, origin, subject: String(row.id) });
}

async function requirePerson(tx: Transaction, { user_id: userId }: Changed['row']): Promise<Person> {
  const person = await findPerson(tx, String(userId));
  if (person === undefined) throw new Error('a row without a user');
  return person;
}
