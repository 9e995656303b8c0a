/**
 * Who may give rights. Every operation is carried out once, and one that left somebody with a right that was not there
 * before must say so; every operation that says so is then tried by every kind of restricted credential, by each door.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Operation } from '#core/operation.ts';
import { actions, resources } from '#core/permissions.ts';
import type { Sql } from '#core/sql.ts';
import { createBuilders, expectFailure, expectStatus } from '#testing/builders.ts';
import { OAuth } from '#testing/oauth.ts';
import { createFreshRequest, prepareRecords, send, readTokenId, type Request } from '#testing/requests.ts';
import { getItems, parseJson, testService, getText, type TestAnswer } from '#testing/service.ts';
import { takeTurns } from '#testing/turns.ts';
import { bindings } from '#transports/operations.ts';

const service = await testService();
const { ask, clock, issueToken } = service;
const { database, founder } = service.service;
const build = await createBuilders(service);
const records = await prepareRecords(service, build);
const oauth = new OAuth(service);

/** By table, what of a row is a right that somebody holds. A row that ended is none. */
const RIGHTS: Readonly<Record<string, string>> = {
  memberships: 'select organization_id, user_id, role from memberships',
  invitations: `select id, organization_id, email, role, digest, expires_at from invitations
    where accepted_at is null and revoked_at is null`,
  tokens: `select id, organization_id, user_id, role, path, makers, attenuation_spec, payment_policy, max_spend_cents,
      expires_at from tokens where revoked_at is null`,
  users: 'select id, email, staff_roles from users where is_staff',
  partners: 'select user_id, organization_id from partners',
  sessions: 'select id, user_id, expires_at from sessions',
  accounts: 'select id, user_id, password from accounts',
  passkeys: 'select id, user_id from passkeys',
  person_links: `select digest, email, purpose from person_links where used_at is null`,
  oauth_consents: 'select id, user_id, client_id, reference_id, scopes from oauth_consents',
  oauth_refresh_tokens:
    'select id, user_id, scopes, expires_at from oauth_refresh_tokens where revoked is null',
  device_logins: `select id, user_id, organization_id, role, lifetime from device_logins where status = 'approved'`,
  shares: `select id, organization_id, experiment_id, sequence_id, digest, shows_sequences, allows_csv, expires_at
    from shares where revoked_at is null`,
  signing_keys: 'select kid from signing_keys where retired_at is null',
};

/** All rights in one statement, because they are read around every call. */
const ALL_RIGHTS = Object.entries(RIGHTS)
  .map(([table, select]) => `select '${table} ' || to_jsonb(held)::text as held from (${select}) held`)
  .join(' union all ');

async function readRights(sql: Sql): Promise<ReadonlySet<string>> {
  return new Set((await sql.query<{ held: string }>(ALL_RIGHTS)).map(({ held }) => held));
}

async function findRightsAddedBy(act: () => Promise<void>): Promise<string[]> {
  const before = await readRights(database.read);
  await act();
  return [...(await readRights(database.read))].filter((right) => !before.has(right));
}

/** A removal and a dismissal are guarded like grants, and give no right. */
function isWithoutRight({ grants }: Operation): boolean {
  return grants === undefined || grants === 'removal' || grants === 'dismissal';
}

for (const { operation } of bindings) {
  test(`grants: ${operation.id} is carried out → ${isWithoutRight(operation) ? 'adds no right' : 'adds a right, and says so'}`, async () => {
    const token = await issueToken({ isStaff: true, isPartner: true });
    const request = await createFreshRequest(operation, build, records);
    const added = await findRightsAddedBy(async () => {
      expectStatus(await send(ask, operation, request, { token }), operation.success ?? 200);
    });
    if (isWithoutRight(operation))
      assert.deepEqual(added, [], 'it gives rights and does not declare what it grants');
    else assert.notDeepEqual(added, [], 'it declares "grants", and its row in requests.ts gives no right');
  });
}

const granting = bindings.map(({ operation }) => operation).filter(({ grants }) => grants !== undefined);

test('grants: operations that give rights → exactly those that are listed here', () => {
  assert.deepEqual(granting.map(({ id }) => id).sort(), [
    'appoint_staff',
    'attenuate_token',
    'change_member_role',
    'change_staff_roles',
    'create_share',
    'create_token',
    'dismiss_staff',
    'invite_member',
    'mint_token',
    'remove_member',
    'renew_partner_token',
    'resend_invitation',
  ]);
});

const inAnHour = new Date(clock.now().getTime() + 3_600_000).toISOString();

/** One for each field of an attenuation, set as wide as it goes, so that the right itself is still there where it can be. */
const attenuations: Readonly<Record<string, object>> = {
  'nothing at all': {},
  read_only: { read_only: true },
  non_destructive: { non_destructive: true },
  allowed_actions: { allowed_actions: [...actions] },
  allowed_resources: { allowed_resources: [...resources] },
  allowed_org_ids: { allowed_org_ids: [founder.organizationId] },
  expires_at: { expires_at: inAnHour },
  max_spend_cents: { max_spend_cents: 1_000_000 },
  resource_ids: { resource_ids: [records.released.code] },
};

async function derive(token: string, attenuation: object): Promise<string> {
  const body = { token, name: 'narrow', attenuation };
  return getText(expectStatus(await ask('POST', '/tokens/attenuate', { token, body }), 201).body.token);
}

async function createMachineToken(token: string, policy: object): Promise<string> {
  const body = { name: 'machine', role: 'admin', expires_in: '7d', payment_policy: policy };
  return getText(expectStatus(await ask('POST', '/tokens', { token, body }), 201).body.token);
}

type Make = (root: string) => Promise<string>;

/** Every kind of restricted token, from the token of an administrator who is of the staff and a partner. */
const restricted: Readonly<Record<string, Make>> = {
  ...Object.fromEntries(
    Object.entries(attenuations).map(([name, spec]): [string, Make] => [
      `attenuated by ${name}`,
      (root) => derive(root, spec),
    ]),
  ),
  'derived from a derived one': async (root) => derive(await derive(root, { expires_at: inAnHour }), {}),
  'a payment policy': (root) => createMachineToken(root, { methods: ['x402-exact'] }),
  'a payment policy with a limit': (root) =>
    createMachineToken(root, { methods: ['x402-exact'], max_spend_cents: 1_000_000 }),
  'derived from one with a payment policy': async (root) =>
    derive(await createMachineToken(root, { methods: ['mpp-spt'] }), {}),
};

type Door = (operation: Operation, request: Request, token: string) => Promise<TestAnswer>;

/** The same request as the arguments of a tool; the token of the caller stands in for its placeholder. */
const callTool: Door = async (operation, { path, body }, token) => {
  const names = operation.path.split('/');
  const params = path
    .split('/')
    .flatMap((part, index) => (names[index]?.startsWith('{') ? [[names[index].slice(1, -1), part]] : []));
  const args: unknown = JSON.parse(
    JSON.stringify({ ...Object.fromEntries(params), ...(typeof body === 'object' ? body : {}) })
      .replaceAll('id-of-the-token-of-the-caller', readTokenId(token))
      .replaceAll('token-of-the-caller', token),
  );
  const answer = await oauth.call(token, operation.id, typeof args === 'object' && args !== null ? args : {});
  const result = answer.body.result ?? parseJson(/^data: (.*)$/m.exec(answer.text)?.[1] ?? '').result;
  const text = result === undefined ? answer.text : getText(getItems(result.content)[0]?.text);
  const failed = parseJson(text);
  return {
    ...answer,
    status: failed.code === undefined && result !== undefined ? 200 : 403,
    text,
    body: failed,
  };
};

/** A refused call adds no right, so the next refused call may send its request too. */
const refusedRequests = new Map<string, Promise<Request>>();

function getRefusedRequest(operation: Operation): Promise<Request> {
  const request = refusedRequests.get(operation.id) ?? createFreshRequest(operation, build, records);
  refusedRequests.set(operation.id, request);
  return request;
}

const doors: Readonly<Record<string, Door>> = {
  REST: (operation, request, token) => send(ask, operation, request, { token }),
  'a tool': callTool,
};

/** By day a kind of token meets so many of them: a restriction is the token's, a guard the operation's. */
const OPERATIONS_BY_TURNS = 4;

for (const [place, [kind, make]] of Object.entries(restricted).entries()) {
  // Every call of it is refused and changes nothing, so one token serves all operations.
  let made: Promise<string> | undefined;
  const getToken = (): Promise<string> =>
    (made ??= issueToken({ isStaff: true, isPartner: true }).then((root) => make(root)));
  const guardedOnes = granting.filter(({ id }) => id !== 'attenuate_token');
  for (const operation of takeTurns(guardedOnes, place, OPERATIONS_BY_TURNS)) {
    test(`token_restricted: ${operation.id} by a restricted token (${kind}) → 403 and no right is added`, async () => {
      const token = await getToken();
      const me = expectStatus(await ask('GET', '/whoami', { token }), 200);
      const isInHand = me.text.includes(`"${operation.permission}"`);
      const request = await getRefusedRequest(operation);
      const added = await findRightsAddedBy(async () => {
        for (const [door, call] of Object.entries(doors)) {
          const answer = await call(operation, request, token);
          assert.equal(answer.status, 403, `${door}: ${answer.text}`);
          // A tool that needs a permission which is not there does not exist for the token at all.
          const expected = isInHand ? /token_restricted/ : /permission_denied|not found|unknown/i;
          assert.match(answer.text, expected, `${door}: ${answer.text}`);
        }
      });
      assert.deepEqual(added, []);
    });
  }
}

/** What a token is: what `whoami` and its own row say of it. */
async function readExtent(token: string): Promise<{ permissions: ReadonlySet<string>; end: string }> {
  const { body } = expectStatus(await ask('GET', '/whoami', { token }), 200);
  return {
    permissions: new Set(getItems(body.permissions).map(getText)),
    end: getText(body.token_expires_at),
  };
}

for (const [kind, make] of Object.entries(restricted)) {
  test(`attenuation: a child of a restricted token (${kind}) → has no more rights and lives no longer`, async () => {
    const root = await issueToken({ isStaff: true, isPartner: true });
    const token = await make(root);
    const child = await derive(token, {}).catch(() => null);
    const own = await readExtent(token);
    // One that may read no tokens derives none.
    if (!own.permissions.has('token:read')) return assert.equal(child, null);
    const made = await readExtent(child ?? '');
    for (const permission of made.permissions) assert.ok(own.permissions.has(permission), permission);
    assert.ok(made.end <= own.end, `${made.end} > ${own.end}`);
    const body = { token: root, name: 'wide', attenuation: {} };
    expectFailure(await ask('POST', '/tokens/attenuate', { token, body }), 403, 'token_restricted');
  });
}

for (const scope of ['write', 'read']) {
  test(`token_restricted: OAuth access that may ${scope} calls each granting operation → refused and no right is added`, async () => {
    const browser = await oauth.openBrowser();
    const dance = await oauth.runDance(browser, scope === 'read' ? { scope } : {});
    const { access } = await oauth.redeemTokens(dance);
    for (const operation of granting) {
      const request = await getRefusedRequest(operation);
      const own = JSON.parse(JSON.stringify(request).replaceAll('token-of-the-caller', service.token));
      const added = await findRightsAddedBy(async () => {
        const answer = await callTool(operation, own, access);
        assert.match(answer.text, /token_restricted|permission_denied|not found|unknown/i, operation.id);
      });
      assert.deepEqual(added, [], operation.id);
    }
  });
}

test('grants: an unrestricted token a minute before its end → may still invite', async () => {
  const week = expectStatus(
    await ask('POST', '/tokens', { body: { name: 'week', role: 'admin', expires_in: '7d' } }),
    201,
  );
  clock.advance(7 * 86_400_000 - 60_000);
  const body = { email: 'soon@example.org', role: 'viewer' };
  expectStatus(
    await ask('POST', '/organization/invitations', { token: getText(week.body.token), body }),
    201,
  );
});

/** Statements that give a right; what gives none again, such as a stamp or a sum, is not among them. */
const GIVING = new RegExp(
  [
    /insert into (?:memberships|invitations|tokens|partners|shares)\b/,
    /insert\w+\(\s*(?:\w+,\s*)?'(?:memberships|invitations|tokens|partners|shares)'/,
    /set staff_roles|update (?:memberships|invitations|tokens) set role|update device_logins set status = \$2/,
    /update\w+\(\s*(?:\w+,\s*)?'(?:memberships|invitations|tokens|partners|users|device_logins)'/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

test('store functions: each that writes a right → takes a Grant', () => {
  const root = join(import.meta.dirname, '../../src');
  const seen: string[] = [];
  for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const functions = readFileSync(join(root, file), 'utf8').split(/^(?=export (?:async )?function )/m);
    for (const text of functions.filter((each) => GIVING.test(each))) {
      const [signature = ''] = text.split(/^\S*\): /m);
      const name = /function (\w+)/.exec(text)?.[1] ?? file;
      assert.match(signature, /\bgrant: (?:Staff)?Grant\b/, `${file} ${name} writes a right without a grant`);
      seen.push(name);
    }
  }
  assert.deepEqual(seen.sort(), [
    'addPartner',
    'enterOrganization',
    'insertAttenuatedToken',
    'insertInvitation',
    'insertProgramToken',
    'insertRootToken',
    'insertShare',
    'recordDecision',
    'renewInvitation',
    'setMembership',
    'setStaffRoles',
  ]);
});
