/** Sets up the first administrator of a live environment by a link that the operator reads in the terminal. */
import { DAY_MS } from '#core/clock.ts';
import type { BrowserOrigin, Work } from '#core/context.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import type { Database, Transaction } from '#core/sql.ts';
import { findUserByEmail, lockOrganizations, renameOrganization } from '../organizations/store.ts';
import {
  redeemLink,
  spendLinks,
  findPerson,
  hasPassword,
  selectOrganizationIdsOfUser,
  readdressPerson,
} from './store.ts';
import type { People } from './port.ts';
import { issueLink } from './links.ts';
import { recordIn } from './trail.ts';

export interface Founded {
  readonly organizationId: string;
  readonly userId: string;
}

/** The address of the set-up page while the environment is not set up; earlier links stop working. */
export async function issueSetUpLink(
  work: Work,
  database: Database,
  founder: Founded,
): Promise<string | undefined> {
  return database.runTransaction(async (tx) => {
    if (await hasPassword(tx, founder.userId)) return undefined;
    const person = await findPerson(tx, founder.userId);
    if (person === undefined) return undefined;
    await spendLinks(tx, { userId: person.id, purpose: 'set_up', at: work.clock.now() });
    const secret = await issueLink(work, tx, { person, purpose: 'set_up', lifetimeMs: DAY_MS });
    return `${work.site.baseUrl}/set-up/${secret}`;
  });
}

export interface SetUp {
  readonly secret: string;
  readonly email: string;
  readonly name: string;
  readonly organization: string;
  readonly passwordHash: string;
}

export type SetUpOutcome = { readonly cookies: readonly string[] } | 'spent' | 'address_taken';

export async function setUp(
  work: Work,
  people: People,
  tx: Transaction,
  origin: BrowserOrigin,
  input: SetUp,
): Promise<SetUpOutcome> {
  const at = work.clock.now();
  await lockOrganizations(tx);
  const user = await findUserByEmail(tx, input.email);
  const link = await redeemLink(tx, { secret: input.secret, purpose: 'set_up', at });
  if (link === undefined || link.user_id === null) return 'spent';
  const userId = link.user_id;
  if (user !== undefined && user.id !== userId) return 'address_taken';
  const [organizationId] = await selectOrganizationIdsOfUser(labScope, tx, userId);
  if (organizationId === undefined) return 'spent';
  const name = input.name === '' ? null : input.name;
  await readdressPerson(tx, { id: userId, email: input.email, name, at });
  await renameOrganization(createOrganizationScope(organizationId), tx, input.organization);
  const person = { id: userId, email: input.email };
  await recordIn(work, tx, organizationId, { event: 'set_up', person, origin, subject: organizationId });
  const cookies = await people.runWithin(tx, async () => {
    await people.storePassword(origin, userId, input.passwordHash);
    return people.openSession(origin, userId, 'link');
  });
  return { cookies };
}
