import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { decodeProtectedHeader, exportJWK } from 'jose';
import type { FailureCode } from '#core/failures.ts';
import { grantByOperator } from '#core/grants.ts';
import { changesSomething, listPermissions, type Operation } from '#core/operation.ts';
import {
  partnerPermissions,
  rolePermissions,
  roles,
  staffPermissions,
  staffRolePermissions,
  staffRoles,
  type Role,
  type StaffRole,
} from '#core/permissions.ts';
import { createOrganizationScope } from '#core/scope.ts';
import { setMembership } from '#features/organizations/store.ts';
import { createKeyring, type TokenClaims } from '#features/tokens/capability.ts';
import { bindings } from '#transports/operations.ts';
import { isOpenToLimited } from '#workflows/order/limit-to-experiments.ts';
import { createBuilders, expectFailure, expectStatus, UNKNOWN_ID } from '#testing/builders.ts';
import { listDoorPromises, proveProvoked, createRecordedService } from '#testing/recorder.ts';
import { guarded } from '#testing/binding-kinds.ts';
import {
  createFreshRequest,
  isInMatrix,
  prepareRecords,
  send,
  readTokenId,
  createUnknownRequest,
  type Request,
} from '#testing/requests.ts';
import { getItems, getText, type TestAnswer } from '#testing/service.ts';
import { takeTurns } from '#testing/turns.ts';

const service = await createRecordedService();
const { ask, issueToken, clock, token: founderToken } = service;
const { founder, keyring, database } = service.service;
const build = await createBuilders(service);
const records = await prepareRecords(service, build);

/** Claims of a token of the founder that was never issued. */
function createClaims(change: Partial<TokenClaims> = {}): TokenClaims {
  const now = clock.now().getTime() / 1000;
  const { userId, organizationId } = founder;
  const token: TokenClaims = {
    v: 1,
    env: 'sandbox',
    tid: UNKNOWN_ID,
    path: [UNKNOWN_ID],
    sub: userId,
    org: organizationId,
    role: 'admin',
    iat: now - 100,
    exp: now + 100,
  };
  return { ...token, ...change };
}

/** A keyring of somebody else, under the same key id. */
async function createForeignKeyring(environment: 'sandbox' | 'live') {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { kid = '' } = decodeProtectedHeader(founderToken.slice('asy_test_'.length));
  const [publicJwk, privateJwk] = [await exportJWK(publicKey), await exportJWK(privateKey)];
  return createKeyring(environment, [
    { kid, public_jwk: publicJwk, private_jwk: privateJwk, retired: false },
  ]);
}

async function createRevokedToken(): Promise<string> {
  const token = await issueToken({ role: 'admin' });
  expectStatus(await ask('POST', '/tokens/revoke', { token }), 200);
  return token;
}

const refusedTokens: readonly [FailureCode, string | null][] = [
  ['unauthenticated', null],
  ['unauthenticated', ''],
  ['token_malformed', 'asy_test_nonsense'],
  ['token_malformed', founderToken.slice(0, -1)],
  ['token_invalid', await (await createForeignKeyring('sandbox')).sign(createClaims())],
  ['token_invalid', await keyring.sign(createClaims())],
  [
    'token_wrong_environment',
    await (await createForeignKeyring('live')).sign(createClaims({ env: 'live', exp: null })),
  ],
  ['token_expired', await keyring.sign(createClaims({ exp: clock.now().getTime() / 1000 }))],
  ['token_not_yet_valid', await keyring.sign(createClaims({ iat: clock.now().getTime() / 1000 + 300 }))],
  ['token_revoked', await createRevokedToken()],
];

const refusedByCode = [...Map.groupBy(refusedTokens, ([code]) => code).values()];

for (const [place, { operation }] of guarded.filter(isInMatrix).entries()) {
  test(`unauthenticated: ${operation.id} gets a token that is not valid → 401 with the code of the reason`, async () => {
    const request = createUnknownRequest(operation);
    for (const [code, token] of refusedByCode.flatMap((tokens) => takeTurns(tokens, place))) {
      if (code === 'token_revoked' && operation.acceptsRevoked === true) continue;
      const refused = expectFailure(await send(ask, operation, request, { token }), 401, code);
      const challenge = refused.headers['www-authenticate'] ?? '';
      if (code === 'unauthenticated') assert.equal(challenge, 'Bearer');
      else assert.match(challenge, /^Bearer error="invalid_token", error_description="[^"]+"$/);
    }
  });
}

interface Caller {
  readonly role: Role;
  readonly staffRoles: readonly StaffRole[];
  readonly isPartner?: boolean;
}

const callers: readonly Caller[] = [
  ...roles.map((role) => ({ role, staffRoles: [] })),
  ...staffRoles.map((each) => ({ role: 'admin' as const, staffRoles: [each] })),
  { role: 'admin', staffRoles },
  { role: 'member', staffRoles },
  { role: 'admin', staffRoles: [], isPartner: true },
  { role: 'member', staffRoles: [], isPartner: true },
];

function isAllowed(
  { permission }: Operation,
  { role, staffRoles: held, isPartner = false }: Caller,
): boolean {
  if (permission === 'public' || permission === 'any') return true;
  return (
    rolePermissions[role].has(permission) ||
    (role === 'admin' && held.some((each) => staffRolePermissions[each].has(permission))) ||
    (isPartner && role === 'admin' && partnerPermissions.has(permission))
  );
}

/** Requests that only refused calls and reads have sent: those changed nothing, so the next call may send it too. */
const untouched = new Map<string, Request>();

async function findUntouchedRequest(operation: Operation): Promise<Request> {
  const request = untouched.get(operation.id) ?? (await createFreshRequest(operation, build, records));
  untouched.set(operation.id, request);
  return request;
}

/** The same request for a call that succeeds, which shows that the refused ones could have. */
async function takeUntouchedRequest(operation: Operation): Promise<Request> {
  const request = await findUntouchedRequest(operation);
  if (changesSomething(operation)) untouched.delete(operation.id);
  return request;
}

/** A token of a caller that sends only reads and what is refused: that changes nothing, its holder included. */
const tokensWithoutChange = new Map<Caller, Promise<string>>();

function getTokenWithoutChange(caller: Caller): Promise<string> {
  const token = tokensWithoutChange.get(caller) ?? issueToken(caller);
  tokensWithoutChange.set(caller, token);
  return token;
}

/** An answer as bytes, without what is new in every answer. */
function anonymizeAnswer(answer: TestAnswer): string {
  const { 'x-request-id': id = '', date: _date, ...headers } = answer.headers;
  return JSON.stringify([answer.status, headers, answer.text.replaceAll(id, 'req')]);
}

/** Catalog and identity are not anybody's; the lab's own doors are closed to clients altogether. */
const SHARED = new Set(['targets', 'assay-types', 'tokens', 'info']);

function isForStaff({ permission }: Operation): boolean {
  return permission !== 'public' && permission !== 'any' && staffPermissions.has(permission);
}

/** The body of the request itself; only a reference inside it makes the difference. */
function chooseBody(foreign: { body?: unknown }, unknown: { body?: unknown }): { body?: unknown } {
  if (foreign.body === undefined || JSON.stringify(unknown.body ?? '').includes(UNKNOWN_ID)) return {};
  return { body: foreign.body };
}

/** Other organizations that only read, so that they stay empty; by whether they are partners. */
const foreignReaders = new Map<boolean, Promise<string>>();

function getForeignToken(operation: Operation): Promise<string> {
  const isPartner = operation.permission.startsWith('partner:');
  const issue = () => issueToken({ role: 'admin', ownOrganization: true, isPartner });
  if (changesSomething(operation)) return issue();
  const token = foreignReaders.get(isPartner) ?? issue();
  foreignReaders.set(isPartner, token);
  return token;
}

async function proveForeignHidden(operation: Operation): Promise<void> {
  const token = await getForeignToken(operation);
  const foreign = await findUntouchedRequest(operation);
  const unknown = createUnknownRequest(operation);
  const there = await send(ask, operation, foreign, { token });
  const nowhere = await send(ask, operation, { ...unknown, ...chooseBody(foreign, unknown) }, { token });
  // What another organization may create for itself, it has created now.
  if (there.status < 400 && changesSomething(operation)) untouched.delete(operation.id);
  if (operation.params !== undefined || operation.id === 'add_sequences')
    assert.equal(anonymizeAnswer(there), anonymizeAnswer(nowhere));
  else if (isForStaff(operation)) expectFailure(there, 403, 'permission_denied');
  else if (operation.id === 'get_audit_head')
    assert.notEqual(expectStatus(there, 200).body.organization_id, founder.organizationId);
  else if (operation.query !== undefined && operation.media === undefined && operation.method === 'GET') {
    const { total, items } = expectStatus(there, 200).body;
    assert.equal(total ?? getItems(items).length, operation.id === 'list_members' ? 1 : 0);
  }
  if (!isForStaff(operation) && operation.params !== undefined) expectStatus(there, 404);
}

async function deriveToken(token: string, attenuation: object): Promise<string> {
  const made = await ask('POST', '/tokens/attenuate', {
    token,
    body: { token, name: 'derived', attenuation },
  });
  return getText(expectStatus(made, 201).body.token);
}

let limitedToken: Promise<string> | undefined;

/** A token for one experiment, which no row asks about; every row is refused, so one token serves all. */
async function limitToAnotherExperiment(): Promise<string> {
  const other = (await build.create()).code;
  const admin = await issueToken({ role: 'admin' });
  return deriveToken(admin, { resource_ids: [other] });
}

async function proveLimitedRefused(operation: Operation): Promise<void> {
  const token = await (limitedToken ??= limitToAnotherExperiment());
  const request = await findUntouchedRequest(operation);
  const answer = await send(ask, operation, request, { token });
  const unknown = await send(ask, operation, createUnknownRequest(operation), { token });
  if (operation.permission.startsWith('lab:')) expectFailure(answer, 403, 'permission_denied');
  else assert.ok(['token_restricted', 'permission_denied'].includes(getText(answer.body.code)), answer.text);
  // A list across experiments and a creation say so in either case; of one experiment nothing is told.
  assert.equal(unknown.text.replace(/req_[\w-]+/, ''), answer.text.replace(/req_[\w-]+/, ''));
}

async function proveRoles(operation: Operation, place: number): Promise<void> {
  const denied = callers.filter((caller) => !isAllowed(operation, caller));
  for (const caller of denied) {
    const token = await getTokenWithoutChange(caller);
    const answer = await send(ask, operation, await findUntouchedRequest(operation), { token });
    expectFailure(answer, 403, 'permission_denied');
    assert.ok(getText(answer.body.error).includes(operation.permission));
  }
  const [weakest, ...others] = callers.filter((each) => isAllowed(operation, each));
  for (const caller of weakest === undefined ? [] : [weakest, ...takeTurns(others, place)]) {
    const token = await (changesSomething(operation) ? issueToken(caller) : getTokenWithoutChange(caller));
    const answer = await send(ask, operation, await takeUntouchedRequest(operation), { token });
    expectStatus(answer, operation.success ?? 200);
  }
}

for (const [place, binding] of bindings.filter(isInMatrix).entries()) {
  const { operation } = binding;
  const isGuarded = guarded.includes(binding);
  // Refused calls come first: the request that they could not carry out is then sent by a role that may.
  if (isGuarded && !SHARED.has(operation.tag))
    test(`not found: ${operation.id} for a record of another organization → the same answer as for none`, () =>
      proveForeignHidden(operation));
  if (isGuarded && !isOpenToLimited(operation))
    test(`token_restricted: ${operation.id} by a token for another experiment → refused, as for an unknown one`, () =>
      proveLimitedRefused(operation));
  test(`permission_denied: ${operation.id} by every role → only roles with ${operation.permission} may`, () =>
    proveRoles(operation, place));
}

test('token_revoked: a token revokes itself → its next request is refused, and it may repeat the revocation', async () => {
  const token = await issueToken({ role: 'member' });
  expectStatus(await ask('GET', '/whoami', { token }), 200);
  expectStatus(await ask('POST', '/tokens/revoke', { token }), 200);
  expectFailure(await ask('GET', '/whoami', { token }), 401, 'token_revoked');
  // The revocation may be repeated, until the holder is gone from the organization.
  expectStatus(await ask('POST', '/tokens/revoke', { token }), 200);
  await database.read.query(
    'delete from memberships where user_id = (select user_id from tokens where id = $1)',
    [readTokenId(token)],
  );
  expectFailure(await ask('POST', '/tokens/revoke', { token }), 401, 'token_revoked');
});

test('permission_denied: a member is demoted, then removed → the next request is refused, then the token ends', async () => {
  const token = await issueToken({ role: 'member' });
  const { body: me } = await ask('GET', '/whoami', { token });
  const scope = createOrganizationScope(founder.organizationId);
  const userId = getText(me.user_id);
  expectStatus(await ask('POST', '/experiments', { token, body: build.createBody() }), 201);
  const { organizationId } = founder;
  const viewer = grantByOperator({ organizationId, role: 'viewer' });
  await setMembership(scope, database.read, viewer, { user_id: userId, at: clock.now() });
  const refused = await ask('POST', '/experiments', { token, body: build.createBody() });
  expectFailure(refused, 403, 'permission_denied');
  expectStatus(await ask('GET', '/experiments', { token }), 200);
  // A promotion gives no more than the token was made for.
  const admin = grantByOperator({ organizationId, role: 'admin' });
  await setMembership(scope, database.read, admin, { user_id: userId, at: clock.now() });
  expectStatus(await ask('POST', '/experiments', { token, body: build.createBody() }), 201);
  const mine = await ask('GET', '/whoami', { token });
  assert.ok(!mine.text.includes('user:delete'));
  await database.read.query('delete from memberships where user_id = $1', [userId]);
  expectFailure(await ask('GET', '/whoami', { token }), 401, 'token_revoked');
});

test('token_wrong_environment: a live token in a sandbox → the sentence names both environments', async () => {
  const [, token] = refusedTokens.find(([code]) => code === 'token_wrong_environment') ?? [];
  const refused = await ask('GET', '/whoami', { token: token ?? null });
  assert.equal(
    refused.body.error,
    'This access token belongs to a live environment; this is a sandbox environment with its own accounts and tokens.',
  );
});

/** Every dimension of a restriction, and which permissions it leaves. */
const ANY_READING = /:(list|read)$/;
const dimensions: readonly [string, object, (permission: string) => boolean][] = [
  ['read_only', { read_only: true }, (permission) => ANY_READING.test(permission)],
  ['non_destructive', { non_destructive: true }, (permission) => !permission.endsWith(':delete')],
  ['allowed_actions', { allowed_actions: ['create'] }, (permission) => permission.endsWith(':create')],
  ['allowed_resources', { allowed_resources: ['quote'] }, (permission) => permission.startsWith('quote:')],
  ['allowed_org_ids', { allowed_org_ids: [UNKNOWN_ID] }, () => false],
];

/** Operations that need the same permissions, which is all that a limit looks at. */
const alikeForLimits = [
  ...Map.groupBy(
    guarded.map(({ operation }) => operation).filter(({ permission }) => permission !== 'any'),
    (operation) => [...listPermissions(operation), operation.acceptsRevoked].join(' '),
  ).values(),
];

for (const [place, [name, attenuation, allows]] of dimensions.entries()) {
  test(`permission_denied: a token limited by ${name} → the limit holds for every operation`, async () => {
    const admin = await issueToken({ role: 'admin', isStaff: true, isPartner: true });
    const token = await deriveToken(admin, attenuation);
    for (const operation of alikeForLimits.flatMap((alike) => takeTurns(alike, place))) {
      const isRevoking = operation.permission === 'token:revoke';
      const answer = await send(ask, operation, createUnknownRequest(operation), {
        token: isRevoking ? await deriveToken(await issueToken({ role: 'admin' }), attenuation) : token,
      });
      const isOwnEnd = operation.acceptsRevoked === true;
      const isAllowedAll = isOwnEnd || listPermissions(operation).every((permission) => allows(permission));
      if (isAllowedAll) assert.notEqual(answer.status, 401, operation.id);
      if (isAllowedAll) assert.notEqual(answer.body.code, 'permission_denied', operation.id);
      else expectFailure(answer, 403, 'permission_denied');
    }
  });
}

test('token_expired: expires_at of a derived token passes → every operation refuses it', async () => {
  const soon = new Date(clock.now().getTime() + 1_000).toISOString();
  const token = await deriveToken(await issueToken({ role: 'admin' }), { expires_at: soon });
  expectStatus(await ask('GET', '/whoami', { token }), 200);
  clock.advance(1_000);
  for (const { operation } of guarded)
    expectFailure(
      await send(ask, operation, createUnknownRequest(operation), { token }),
      401,
      'token_expired',
    );
});

test('resource_ids: an experiment is named by id or code → its records stay open, and lists are refused', async () => {
  const { released } = records;
  const admin = await issueToken({ role: 'admin' });
  for (const name of [released.id, released.code]) {
    const token = await deriveToken(admin, { resource_ids: [name] });
    for (const path of [
      `/experiments/${released.id}`,
      `/experiments/${released.code}`,
      `/quotes/${released.quoteId}`,
      `/invoices/${released.invoiceId}`,
      `/results/${records.resultId}`,
      `/sequences/${records.sequenceId}`,
      `/sequences?experiment_id=${released.code}`,
      '/targets',
      '/whoami',
    ])
      expectStatus(await ask('GET', path, { token }), 200);
    expectFailure(await ask('GET', '/experiments', { token }), 403, 'token_restricted');
    // A parameter that the list does not know narrows nothing.
    const ignored = await ask('GET', `/quotes?experiment_id=${released.id}`, { token });
    assert.notEqual(ignored.status, 200);
  }
});

const IDENTITY =
  /^(unauthenticated|token_(malformed|invalid|wrong_environment|expired|not_yet_valid|revoked)$)/;

test('coverage: permission and token refusals of every operation → were provoked', () => {
  // What every role may do is only denied to a token that was restricted.
  const promises = listDoorPromises().filter(([binding]) => isInMatrix(binding));
  const denied = promises.filter(
    ([{ operation }, code]) =>
      code === 'permission_denied' && !callers.every((caller) => isAllowed(operation, caller)),
  );
  proveProvoked([...denied, ...promises.filter(([, code]) => IDENTITY.test(code))]);
});
