/** Changes of people to their own account: name, password, sessions. */
import type { Work } from '#core/context.ts';
import type { Database, Transaction } from '#core/sql.ts';
import type { Origin, People } from './port.ts';
import { attemptLimits, findPasswordProblem } from './rules.ts';
import { deletePasskey } from './passkey-store.ts';
import { deleteSessions, type SessionChoice } from './session-store.ts';
import { clearAttempts, countAttempt, hasPassword, renamePerson } from './store.ts';
import { finishSession } from './effects.ts';
import { recordEverywhere } from './trail.ts';

export interface Self {
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
  origin: Origin,
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
    await closeSessions(work, tx, origin, { userId, except: sessionId });
  });
  return { kind: 'changed' };
}

/** Ends sessions and their tokens; every process rejects their next request. */
export async function closeSessions(
  work: Work,
  tx: Transaction,
  origin: Origin,
  which: SessionChoice,
): Promise<number> {
  const endedSessions = await deleteSessions(tx, which);
  for (const session of endedSessions)
    await finishSession(work, tx, origin, { ...session, user_id: which.userId });
  return endedSessions.length;
}

export async function changeName(
  work: Work,
  database: Database,
  origin: Origin,
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
  origin: Origin,
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
