/**
 * Device sign-in: a program requests access, a person decides in the browser, and the program fetches its own token.
 */
import { computeSecretDigest } from '#core/sealer.ts';
import type { Keyring } from '#core/capability.ts';
import { addMs, DAY_MS } from '#core/clock.ts';
import type { Origin, Work } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { authorizeGrant, grantAsAccepted, type Grant } from '#core/grants.ts';
import { rolePermissions, type Role } from '#core/permissions.ts';
import type { Principal } from '#core/principal.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import type { Database, Sql, Transaction } from '#core/sql.ts';
import { recordAct } from '../../audit/record-change.ts';
import {
  DEVICE_CODE_LIFE_MS,
  sanitizeDeviceName,
  POLL_INTERVAL_S,
  parseUserCode,
  SLOW_DOWN_S,
  createUserCode,
  type Lifetime,
} from './rules.ts';
import {
  recordDecision,
  findWaiting,
  insertDeviceLogin,
  lockByDigest,
  markUsed,
  updatePoll,
  countWaitingFrom,
  type DeviceLogin,
} from './store.ts';
import { findUser, selectOrganizationsOfUser } from '../../organizations/store.ts';
import { issueRootToken, type IssuedToken } from '../../tokens/issue-root-token.ts';
import { LIFETIMES_MS } from '../../tokens/create-token.ts';

/** Largest number of pending requests from one network address. */
const WAITING_MAX = 20;
const FORGOTTEN_AFTER_MS = DAY_MS;

export interface Waiting {
  readonly deviceCode: string;
  readonly userCode: string;
}

/** Errors that RFC 8628 §3.5 allows as the answer to a poll. */
export type PollRefusal =
  'authorization_pending' | 'slow_down' | 'access_denied' | 'expired_token' | 'invalid_grant';

/** Throws `rate_limited`. */
export async function askToBeLetIn(
  work: Work,
  tx: Transaction,
  asking: { readonly name: string; readonly address: string },
): Promise<Waiting> {
  const { clock, ids } = work;
  const now = clock.now();
  if ((await countWaitingFrom(tx, asking.address, now)) >= WAITING_MAX)
    throw fail('rate_limited', { retry_after: 60 });
  const deviceCode = ids.createSecret() + ids.createSecret();
  const userCode = createNewUserCode(work);
  await insertDeviceLogin(tx, {
    id: ids.createUuid(),
    digest: computeSecretDigest(deviceCode),
    user_code: userCode,
    device_name: sanitizeDeviceName(asking.name),
    address: asking.address,
    interval_s: POLL_INTERVAL_S,
    created_at: now,
    expires_at: addMs(now, DEVICE_CODE_LIFE_MS),
  });
  return { deviceCode, userCode };
}

function createNewUserCode({ ids }: Work): string {
  for (;;) {
    const code = createUserCode(Buffer.from(ids.createSecret(), 'base64url'));
    if (code !== undefined) return code;
  }
}

/** Finds the pending request by a code as a person typed it. */
export async function findWaitingByCode(
  work: Work,
  sql: Sql,
  typed: string,
): Promise<DeviceLogin | undefined> {
  const code = parseUserCode(typed);
  return code === undefined ? undefined : findWaiting(sql, code, work.clock.now());
}

export interface Approval {
  readonly organizationId: string;
  readonly role: Role;
  readonly lifetime: Lifetime;
}

/**
 * Records the person's decision; `approval` is null for a refusal. Returns false when nothing is pending under the
 * code.
 */
export async function decideDeviceLogin(
  work: Work,
  tx: Transaction,
  person: Principal,
  decision: { readonly userCode: string; readonly approval: Approval | null; readonly origin: Origin },
): Promise<boolean> {
  const { approval, origin } = decision;
  const grant = approval === null ? null : await grantApproval(tx, person, approval);
  const at = work.clock.now();
  const decided = await recordDecision(tx, decision.userCode, grant, {
    userId: person.userId,
    lifetime: approval?.lifetime ?? null,
    at,
  });
  if (decided === undefined) return false;
  await recordAct(work, tx, createOrganizationScope(approval?.organizationId ?? person.organizationId), {
    by: person,
    operation: approval === null ? 'deny_device_login' : 'approve_device_login',
    subject: decided.id,
    details: { device: decided.device_name, from: decided.address, role: approval?.role ?? null },
    origin,
  });
  return true;
}

/** The person's session may be in another organization than the one that the program gets access to. */
async function grantApproval(
  tx: Transaction,
  person: Principal,
  { organizationId, role }: Approval,
): Promise<Grant> {
  const own = (await selectOrganizationsOfUser(labScope, tx, person.userId)).find(
    ({ id }) => id === organizationId,
  );
  if (own === undefined) throw fail('organization_not_found');
  const heldPermissions = rolePermissions[own.role];
  return authorizeGrant(person, 'device_login', { organizationId, role, held: heldPermissions });
}

export type Polled =
  | { readonly kind: 'refused'; readonly error: PollRefusal }
  | { readonly kind: 'token'; readonly token: IssuedToken };

/** Handles one poll. The token is made in the transaction that uses up the approval. */
export function pollDeviceLogin(
  work: Work,
  database: Database,
  keyring: Keyring,
  poll: { readonly deviceCode: string; readonly origin: Origin },
): Promise<Polled> {
  return database.runTransaction(async (tx) => {
    const login = await lockByDigest(tx, computeSecretDigest(poll.deviceCode));
    if (login === undefined || login.status === 'used') return createRefusedPoll('invalid_grant');
    if (login.status === 'denied') return createRefusedPoll('access_denied');
    const now = work.clock.now();
    if (Date.parse(login.expires_at) <= now.getTime()) return createRefusedPoll('expired_token');
    if (login.status === 'pending') return createRefusedPoll(await recordEarlyPoll(tx, login, now));
    return { kind: 'token', token: await redeemLogin(work, tx, keyring, login, poll.origin) };
  });
}

function createRefusedPoll(error: PollRefusal): Polled {
  return { kind: 'refused', error };
}

async function recordEarlyPoll(tx: Transaction, login: DeviceLogin, now: Date): Promise<PollRefusal> {
  const last = login.last_polled_at === null ? Number.NEGATIVE_INFINITY : Date.parse(login.last_polled_at);
  const isEarly = now.getTime() - last < login.interval_s * 1_000;
  const intervalS = login.interval_s + (isEarly ? SLOW_DOWN_S : 0);
  await updatePoll(tx, login.id, { at: now, intervalS });
  return isEarly ? 'slow_down' : 'authorization_pending';
}

async function redeemLogin(
  work: Work,
  tx: Transaction,
  keyring: Keyring,
  login: DeviceLogin,
  origin: Origin,
): Promise<IssuedToken> {
  const { user_id: userId, organization_id: organizationId, role, lifetime } = login;
  if (userId === null || organizationId === null || role === null || lifetime === null)
    throw new Error('an approved device sign-in has no user or organization');
  await markUsed(tx, login.id);
  const name = `Command line on ${login.device_name}`;
  const lifetimeMs = LIFETIMES_MS[lifetime];
  const grant = grantAsAccepted({ organizationId, role });
  const issued = await issueRootToken(work, tx, keyring, grant, { userId, name, lifetimeMs });
  const user = await findUser(tx, userId);
  await recordAct(work, tx, createOrganizationScope(organizationId), {
    by: { userId, userEmail: user?.email ?? userId, tokenId: issued.id },
    operation: 'redeem_device_login',
    subject: issued.id,
    details: { device: login.device_name, role },
    origin,
  });
  return issued;
}

/** Requests that expired before this time are deleted. */
export function getExpiredLoginCutoff({ clock }: Work): Date {
  return addMs(clock.now(), -FORGOTTEN_AFTER_MS);
}
