/** Accepts an invitation by its link. */
import type { Work } from '#core/context.ts';
import { grantAsAccepted } from '#core/grants.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import type { Database, Transaction } from '#core/sql.ts';
import {
  closeInvitation,
  selectInvitationByLink,
  type OfferedInvitation,
} from '#domain/organizations/invitation-store.ts';
import { selectMemberRole, setMembership } from '#domain/organizations/store.ts';
import type { Origin, People } from '#domain/people/port.ts';
import { findPersonByEmail, markVerified } from '#domain/people/store.ts';
import { isLinkSecret } from '../people/links.ts';
import { createPerson } from '../people/sign-up.ts';
import { recordIn } from '../people/trail.ts';

export interface Offer extends OfferedInvitation {
  /** The account of the invited address, if there is one. */
  readonly userId: string | null;
}

/** Reads an invitation without using it up. */
export async function findOffer(work: Work, database: Database, secret: string): Promise<Offer | undefined> {
  if (!isLinkSecret(secret)) return undefined;
  const link = { secret, at: work.clock.now(), lock: false };
  const offered = await selectInvitationByLink(labScope, database.read, link);
  if (offered === undefined) return undefined;
  const person = await findPersonByEmail(database.read, offered.email);
  return { ...offered, userId: person?.id ?? null };
}

/**
 * Adds the reader of the mail as a member under the invited address: a new person with a name and a password, a known
 * person unchanged. The link proves the address as a sign-in link does, so a session comes with it.
 */
export async function acceptInvitation(
  work: Work,
  people: People,
  tx: Transaction,
  origin: Origin,
  answer: { readonly secret: string; readonly name: string; readonly passwordHash: string | null },
): Promise<readonly string[] | undefined> {
  const at = work.clock.now();
  const offered = await selectInvitationByLink(labScope, tx, { secret: answer.secret, at, lock: true });
  if (offered === undefined) return undefined;
  const { email, role, organization_id: organizationId } = offered;
  const grant = grantAsAccepted({ organizationId, role });
  const scope = createOrganizationScope(organizationId);
  const currentPerson = await findPersonByEmail(tx, email);
  const userId = currentPerson?.id ?? (await createPerson(work, tx, { email, name: answer.name }));
  if (currentPerson !== undefined) await markVerified(tx, userId, at);
  // An existing member keeps the role.
  if ((await selectMemberRole(scope, tx, userId)) === undefined)
    await setMembership(scope, tx, grant, { userId, at });
  await closeInvitation(scope, tx, { id: offered.id, how: 'accepted', at });
  const person = { id: userId, email };
  await recordIn(work, tx, organizationId, {
    event: 'accept_invitation',
    person,
    origin,
    subject: offered.id,
  });
  return people.runWithin(tx, async () => {
    const { passwordHash } = answer;
    if (currentPerson === undefined && passwordHash !== null)
      await people.storePassword(origin, userId, passwordHash);
    return people.openSession(origin, userId, 'link', organizationId);
  });
}
