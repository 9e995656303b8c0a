/** Makes a new person with a new organization after a mailed link has proved the address. */
import type { BrowserOrigin, Work } from '#core/context.ts';
import { grantByFounding } from '#core/grants.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import {
  findUserByEmail,
  insertOrganization,
  insertUser,
  lockOrganizations,
  setMembership,
} from '../organizations/store.ts';
import { redeemLink } from './store.ts';
import type { People } from './port.ts';
import { chooseFreeSlug } from '../organizations/free-slug.ts';
import type { OpenedSession } from './links.ts';
import { recordIn } from './trail.ts';

export interface SignUp {
  readonly secret: string;
  readonly name: string;
  readonly organization: string;
  readonly passwordHash: string;
}

/** Returns the first session; undefined when the link no longer works. */
export async function signUp(
  work: Work,
  people: People,
  tx: Transaction,
  origin: BrowserOrigin,
  input: SignUp,
): Promise<OpenedSession | undefined> {
  const at = work.clock.now();
  const link = await redeemLink(tx, { secret: input.secret, purpose: 'sign_up', at });
  if (link === undefined) return undefined;
  await lockOrganizations(tx);
  // An administrator may have invited the person meanwhile; then the account exists already.
  if ((await findUserByEmail(tx, link.email)) !== undefined) return undefined;
  const userId = await createPerson(work, tx, { email: link.email, name: input.name, isVerified: true });
  await createOrganizationWithFounder(work, tx, origin, {
    userId,
    email: link.email,
    name: input.organization,
  });
  const cookies = await people.runWithin(tx, async () => {
    await people.storePassword(origin, userId, input.passwordHash);
    return people.openSession(origin, userId, 'link');
  });
  return { cookies, next: link.next };
}

/** Makes a person; `isVerified` where a link that was mailed to the address brought them. */
export async function createPerson(
  work: Work,
  tx: Transaction,
  person: { readonly email: string; readonly name: string; readonly isVerified: boolean },
): Promise<string> {
  const id = work.ids.createUuid();
  const name = person.name === '' ? null : person.name;
  const at = work.clock.now();
  await insertUser(tx, {
    id,
    email: person.email,
    name,
    is_verified: person.isVerified,
    created_at: at,
  });
  return id;
}

/** Makes a new organization with its first administrator. The caller holds the lock on organizations. */
export async function createOrganizationWithFounder(
  work: Work,
  tx: Transaction,
  origin: BrowserOrigin,
  founder: { readonly userId: string; readonly email: string; readonly name: string },
): Promise<string> {
  const id = work.ids.createUuid();
  const at = work.clock.now();
  const slug = await chooseFreeSlug(tx, founder.name);
  await insertOrganization(tx, { id, name: founder.name, slug, createdAt: at });
  await setMembership(createOrganizationScope(id), tx, grantByFounding(id), { user_id: founder.userId, at });
  const person = { id: founder.userId, email: founder.email };
  await recordIn(work, tx, id, { event: 'found_organization', person, origin, subject: id });
  return id;
}
