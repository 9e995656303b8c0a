/** Accepts an invitation by its link. */
import type { BrowserOrigin, Work } from '#core/context.ts';
import { grantAsInvited, type Grant } from '#core/grants.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import type { Database, Sql, Transaction } from '#core/sql.ts';
import {
  closeInvitation,
  selectInvitationByLink,
  type OfferedInvitation,
} from '../organizations/invitation-store.ts';
import { lockAdministration, selectMemberRole, setMembership } from '../organizations/store.ts';
import type { People } from './port.ts';
import { findPersonByEmail } from './store.ts';
import { isLinkSecret, proveAddress } from './links.ts';
import { createPerson } from './sign-up.ts';
import { recordIn } from './trail.ts';

export interface Offer extends OfferedInvitation {
  /** The account of the invited address, if there is one. */
  readonly userId: string | null;
  /** False once its sender may no longer give the role. */
  readonly isStanding: boolean;
}

/** Reads an invitation without using it up. */
export async function findOffer(work: Work, database: Database, secret: string): Promise<Offer | undefined> {
  if (!isLinkSecret(secret)) return undefined;
  const link = { secret, at: work.clock.now(), lock: false };
  const offered = await selectInvitationByLink(labScope, database.read, link);
  if (offered === undefined) return undefined;
  const person = await findPersonByEmail(database.read, offered.email);
  const grant = await findOfferedGrant(database.read, offered);
  return { ...offered, userId: person?.id ?? null, isStanding: grant !== undefined };
}

/** Finds the right that an invitation gives today; undefined once its sender may no longer give it. */
async function findOfferedGrant(
  sql: Sql,
  { organization_id: organizationId, role, invited_by_user_id: senderId }: OfferedInvitation,
): Promise<Grant | undefined> {
  const senderRole = await selectMemberRole(createOrganizationScope(organizationId), sql, senderId);
  return grantAsInvited({ organizationId, role }, senderRole);
}

/**
 * Whether the holder of a link must sign in first: a copied link proves nothing about the address, so it opens no account
 * that exists.
 */
export function needsSignIn(
  { delivery }: Pick<Offer, 'delivery'>,
  userId: string | null,
  signedInUserId: string | null,
): boolean {
  return delivery === 'link' && userId !== null && userId !== signedInUserId;
}

/**
 * Adds the holder of the link as a member under the invited address: a new person with a name and a password, a known
 * person unchanged. A mailed link proves the address as a sign-in link does, so a session comes with it. Undefined where
 * the link no longer works, where its sender may no longer give the role, or where `needsSignIn` holds.
 */
export async function acceptInvitation(
  work: Work,
  people: People,
  tx: Transaction,
  origin: BrowserOrigin,
  answer: {
    readonly secret: string;
    readonly name: string;
    readonly passwordHash: string | null;
    /** Whose session the browser has; null without one. */
    readonly signedInUserId: string | null;
  },
): Promise<readonly string[] | undefined> {
  const at = work.clock.now();
  const offered = await selectInvitationByLink(labScope, tx, { secret: answer.secret, at, lock: true });
  if (offered === undefined) return undefined;
  const { email, role, delivery, organization_id: organizationId } = offered;
  const scope = createOrganizationScope(organizationId);
  // The sender is neither removed nor given another role until the transaction ends.
  await lockAdministration(scope, tx);
  const grant = await findOfferedGrant(tx, offered);
  if (grant === undefined) return undefined;
  const currentPerson = await findPersonByEmail(tx, email);
  if (needsSignIn(offered, currentPerson?.id ?? null, answer.signedInUserId)) return undefined;
  const isVerified = delivery === 'mail';
  const userId =
    currentPerson?.id ?? (await createPerson(work, tx, { email, name: answer.name, isVerified }));
  if (currentPerson !== undefined && isVerified) await proveAddress(work, tx, origin, userId);
  // An existing member keeps the role.
  if ((await selectMemberRole(scope, tx, userId)) === undefined)
    await setMembership(scope, tx, grant, { user_id: userId, at });
  await closeInvitation(scope, tx, { id: offered.id, how: 'accepted', at });
  const person = { id: userId, email };
  await recordIn(work, tx, organizationId, {
    event: 'accept_invitation',
    person,
    origin,
    subject: offered.id,
    details: { role, delivery },
  });
  return people.runWithin(tx, async () => {
    const { passwordHash } = answer;
    if (currentPerson === undefined && passwordHash !== null)
      await people.storePassword(origin, userId, passwordHash);
    return people.openSession(origin, userId, 'link', organizationId);
  });
}
