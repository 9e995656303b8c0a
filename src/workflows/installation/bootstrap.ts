/**
 * What a new environment needs before its first request: a signing key, prices, and somebody to speak for.
 * This folder: what an installation does for itself: its first organization, its chores, its operator. Not here: what
 * clients ask for.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { exportJWK } from 'jose';
import { after, DAY_MS, type Clock } from '#core/clock.ts';
import type { Work } from '#core/context.ts';
import { grantByOperator, type Grant } from '#core/grants.ts';
import { organizationScope } from '#core/scope.ts';
import type { Database, Transaction } from '#core/sql.ts';
import {
  findOrganizationBySlug,
  firstAdministrator,
  findUserByEmail,
  insertOrganization,
  insertUser,
  lockOrganizations,
  makeStaff,
  setMembership,
} from '#domain/organizations/store.ts';
import { findPerson } from '#domain/people/store.ts';
import { insertPriceList } from '#domain/pricing/store.ts';
import type { Keyring, PaymentPolicy } from '#core/capability.ts';
import type { SigningKey } from '#domain/tokens/capability.ts';
import { rootClaims } from '#domain/tokens/rules.ts';
import {
  insertRootToken,
  insertSigningKey,
  lockSigningKeys,
  retireSigningKeys,
  signingKeys,
} from '#domain/tokens/store.ts';
import { issueLink } from '../people/links.ts';
import { FIRST_PRICE_LIST } from '#domain/pricing/first-price-list.ts';
import { INSTALLATION_ID } from '#domain/audit/rules.ts';
import type { Operator } from './operator.ts';
import { recordChange, type Change } from '../audit/record-change.ts';

const installation = organizationScope(INSTALLATION_ID);
/** What a service does on its first start, it does for whoever starts it. */
export const FIRST_START: Pick<Change, 'actorKind' | 'actor'> = {
  actorKind: 'operator',
  actor: 'start of the service',
};

/** The keys of this environment; the first start makes the first one. Two processes starting at once agree on one. */
export async function ensureSigningKeys(work: Work, database: Database): Promise<SigningKey[]> {
  return database.transaction(async (tx) => {
    await lockSigningKeys(tx);
    const known = await signingKeys(tx);
    if (known.some((key) => !key.retired)) return known;
    const key = await addSigningKey(work.clock, tx);
    await recordChange(work, tx, installation, {
      ...FIRST_START,
      operation: 'create_signing_key',
      subject: key.kid,
    });
    return [key, ...known];
  });
}

/** A new key signs from now on; the ones before it still verify what they signed. */
export async function rotateSigningKeys(operator: Operator, database: Database): Promise<SigningKey> {
  const { clock } = operator;
  return database.transaction(async (tx) => {
    await lockSigningKeys(tx);
    await retireSigningKeys(tx, clock.now());
    const key = await addSigningKey(clock, tx);
    await recordChange(operator, tx, installation, {
      ...operator.actor,
      operation: 'rotate_signing_keys',
      subject: key.kid,
    });
    return key;
  });
}

async function addSigningKey(clock: Clock, tx: Transaction): Promise<SigningKey> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key: SigningKey = {
    kid: randomBytes(6).toString('base64url'),
    publicJwk: await exportJWK(publicKey),
    privateJwk: await exportJWK(privateKey),
    retired: false,
  };
  await insertSigningKey(tx, key, clock.now());
  return key;
}

export async function ensurePriceList(work: Work, database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    const isNew = await insertPriceList(tx, { ...FIRST_PRICE_LIST, createdAt: work.clock.now() });
    if (!isNew) return;
    await recordChange(work, tx, installation, {
      ...FIRST_START,
      operation: 'create_price_list',
      subject: FIRST_PRICE_LIST.version,
    });
  });
}

export interface Founder {
  readonly organizationName: string;
  readonly slug: string;
  readonly email: string;
  readonly name: string;
  readonly isStaff: boolean;
}

/** The first organization and its first member; found again on later starts. */
export async function ensureFounder(
  work: Work,
  database: Database,
  founder: Founder,
): Promise<{ organizationId: string; userId: string; isNew: boolean }> {
  return database.transaction(async (tx) => {
    await lockOrganizations(tx);
    const organization = await findOrganizationBySlug(tx, founder.slug);
    // A live environment's first administrator has chosen an address of their own.
    const settled =
      organization === undefined
        ? undefined
        : await firstAdministrator(organizationScope(organization.id), tx);
    const user = await findUserByEmail(tx, founder.email);
    if (organization !== undefined && user === undefined && settled !== undefined)
      return { organizationId: organization.id, userId: settled.user_id, isNew: false };
    if (organization !== undefined && user !== undefined) {
      return { organizationId: organization.id, userId: user.id, isNew: false };
    }
    const at = work.clock.now();
    const organizationId = organization?.id ?? work.ids.uuid();
    const userId = user?.id ?? work.ids.uuid();
    const grant = grantByOperator({ organizationId, role: 'admin' });
    if (organization === undefined) {
      const { organizationName: name, slug } = founder;
      await insertOrganization(tx, { id: organizationId, name, slug, createdAt: at });
    }
    if (user === undefined) {
      const { email, name } = founder;
      await insertUser(tx, { id: userId, email, name, createdAt: at });
      if (founder.isStaff) await makeStaff(tx, grant, userId);
    }
    await setMembership(organizationScope(organizationId), tx, grant, { userId, at });
    await recordChange(work, tx, organizationScope(organizationId), {
      ...FIRST_START,
      operation: 'found_organization',
      subject: organizationId,
      details: { email: founder.email },
    });
    return { organizationId, userId, isNew: true };
  });
}

export interface TokenRequest {
  readonly userId: string;
  readonly name: string;
  /** Of the new token, which ends earlier where its grant does. */
  readonly lifetimeMs: number;
  /** The token that asks for it, and that it ends with. */
  readonly makerId?: string;
  readonly paymentPolicy?: PaymentPolicy | null;
}

export interface IssuedToken {
  readonly id: string;
  readonly value: string;
  readonly expiresAt: Date;
}

/** Makes a root token; its value exists only in what this returns. */
export async function issueRootToken(
  work: Work,
  tx: Transaction,
  keyring: Keyring,
  grant: Grant,
  request: TokenRequest,
): Promise<IssuedToken> {
  const now = work.clock.now();
  const id = work.ids.uuid();
  const { userId, name, lifetimeMs, makerId = null, paymentPolicy = null } = request;
  const { organizationId, role, latestEnd } = grant;
  const asked = after(now, lifetimeMs);
  const expiresAt = latestEnd !== null && latestEnd < asked ? latestEnd : asked;
  await insertRootToken(organizationScope(organizationId), tx, grant, {
    id,
    userId,
    name,
    tokenType: 'user',
    makerId,
    createdAt: now,
    expiresAt,
    paymentPolicy,
  });
  const token = { id, userId, organizationId, role, expiresAt, paymentPolicy };
  const claims = rootClaims(work.site.environment, token, now);
  return { id, value: await keyring.sign(claims), expiresAt };
}

/** A one-time link into the browser pages: whoever opens it within a day is that person. */
export async function issueSignInLink(
  work: Work,
  tx: Transaction,
  person: { readonly userId: string },
): Promise<string> {
  const found = await findPerson(tx, person.userId);
  if (found === undefined) throw new Error('a link was asked for nobody');
  const link = { person: found, purpose: 'sign_in', lifetimeMs: DAY_MS } as const;
  return `${work.site.baseUrl}/sign-in/link/${await issueLink(work, tx, link)}`;
}
