/** Changes of people to their own account: name, password, sessions, and the end of a membership. */
import type { BrowserOrigin, Work } from '#core/context.ts';
import type { Database, Transaction } from '#core/sql.ts';
import type { People } from './port.ts';
import { attemptLimits, findPasswordProblem } from './rules.ts';
import { deletePasskey, clearAttempts, countAttempt, hasPassword, renamePerson } from './store.ts';
import { deleteSessions, type SessionChoice } from './session-store.ts';
import { finishSession } from './effects.ts';
import { recordEverywhere, recordIn } from './trail.ts';
import { createOrganizationScope } from '#core/scope.ts';
import { deleteMembership } from '../organizations/store.ts';
import { holdMember, refuseLastAdministrator } from '../organizations/hold-member.ts';

interface Self {
  readonly userId: string;
  readonly email: string;
  readonly sessionId: string;
}

export type PasswordChange =
  | { readonly kind: 'changed' }
  | { readonly kind: 'wrong_current' }
  /** Too many wrong passwords; the address is locked for a while. */
  | { readonly kind: 'locked' }
  | { readonly kind: 'unfit'; readonly problem: string };

/** Changes the password, or sets the first one. All other sessions of the person end. */
export async function changePassword(
  work: Work,
  database: Database,
  people: People,
  origin: BrowserOrigin,
  change: Self & { readonly current: string; readonly next: string },
): Promise<PasswordChange> {
  const { userId, email, sessionId } = change;
  const problem = findPasswordProblem(change.next, email);
  if (problem !== undefined) return { kind: 'unfit', problem };
  if (await hasPassword(database.read, userId)) {
    const attempt = { kind: 'password', of: email, at: work.clock.now() } as const;
    const { count } = await countAttempt(database.read, attempt);
    if (count > attemptLimits.password.max) return { kind: 'locked' };
    if (!(await people.checkPassword(userId, change.current))) return { kind: 'wrong_current' };
    await clearAttempts(database.read, attempt);
  }
  const hash = await people.hashPassword(change.next);
  await database.runTransaction(async (tx) => {
    await people.runWithin(tx, () => people.storePassword(origin, userId, hash));
    await closeSessions(work, tx, origin, { user_id: userId, except: sessionId });
  });
  return { kind: 'changed' };
}

/** Ends sessions and their tokens; every process rejects their next request. */
export async function closeSessions(
  work: Work,
  tx: Transaction,
  origin: BrowserOrigin,
  which: SessionChoice,
): Promise<number> {
  const endedSessions = await deleteSessions(tx, which);
  for (const session of endedSessions)
    await finishSession(work, tx, origin, { ...session, user_id: which.user_id });
  return endedSessions.length;
}

export async function changeName(
  work: Work,
  database: Database,
  origin: BrowserOrigin,
  change: Self & { readonly name: string },
): Promise<void> {
  await database.runTransaction(async (tx) => {
    const name = change.name.trim() === '' ? null : change.name.trim();
    await renamePerson(tx, { id: change.userId, name, at: work.clock.now() });
    const person = { id: change.userId, email: change.email };
    await recordEverywhere(work, tx, { event: 'change_name', person, origin, subject: change.userId });
  });
}

/** Returns whether the passkey existed. */
export async function dropPasskey(
  work: Work,
  database: Database,
  origin: BrowserOrigin,
  drop: Self & { readonly passkeyId: string },
): Promise<boolean> {
  return database.runTransaction(async (tx) => {
    const { userId, email, passkeyId } = drop;
    if (!(await deletePasskey(tx, { id: passkeyId, userId }))) return false;
    const person = { id: userId, email };
    await recordEverywhere(work, tx, { event: 'remove_passkey', person, origin, subject: passkeyId });
    return true;
  });
}

/** Ends a membership at the member's own request. */
export async function leaveOrganization(
  work: Work,
  tx: Transaction,
  origin: BrowserOrigin,
  leaving: { readonly organizationId: string; readonly userId: string },
): Promise<void> {
  const scope = createOrganizationScope(leaving.organizationId);
  const member = await holdMember(tx, scope, leaving.userId);
  await refuseLastAdministrator(tx, scope, member);
  await deleteMembership(scope, tx, member.user_id, work.clock.now());
  const person = { id: member.user_id, email: member.email };
  await recordIn(work, tx, leaving.organizationId, {
    event: 'leave_organization',
    person,
    origin,
    subject: member.user_id,
  });
}
