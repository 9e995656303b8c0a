import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INSTALLATION_ID } from '#features/audit/rules.ts';
import { createBuilders, expectFailure, expectStatus, UNKNOWN_ID } from '#testing/builders.ts';
import { Browser } from '#testing/browser.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { getItems, getText, type TestService } from '#testing/service.ts';

const service = await createRecordedService();
const { ask, issueToken } = service;
const build = await createBuilders(service);

async function readCallerId(token: string, asking: TestService['ask'] = ask): Promise<string> {
  return getText((await asking('GET', '/whoami', { token })).body.user_id);
}

async function readLabPermissions(token: string): Promise<string[]> {
  const { body } = expectStatus(await ask('GET', '/whoami', { token }), 200);
  const permissions: unknown = body.permissions;
  assert.ok(Array.isArray(permissions));
  return permissions
    .map(String)
    .filter((permission) => permission.startsWith('lab:'))
    .sort();
}

async function readAddress(token: string): Promise<string> {
  const userId = await readCallerId(token);
  const [row] = await service.service.database.read.query<{ email: string }>(
    'select email from users where id = $1',
    [userId],
  );
  return row?.email ?? '';
}

test('whoami: each role → exactly the permissions of the table; a client and a member token → none', async () => {
  const expected = {
    operator: ['lab:read', 'lab:run'],
    manager: ['lab:appoint', 'lab:price', 'lab:read', 'lab:review', 'lab:run'],
    finance: ['lab:bill', 'lab:read'],
  } as const;
  for (const role of ['operator', 'manager', 'finance'] as const)
    assert.deepEqual(await readLabPermissions(await issueToken({ staffRoles: [role] })), expected[role]);
  const two = await issueToken({ staffRoles: ['operator', 'finance'] });
  assert.deepEqual(await readLabPermissions(two), ['lab:bill', 'lab:read', 'lab:run']);
  assert.deepEqual(await readLabPermissions(await issueToken({ role: 'admin' })), []);
  assert.deepEqual(await readLabPermissions(await issueToken({ role: 'member', isStaff: true })), []);
});

test('appoint_staff: a client is appointed, changed, dismissed → each takes effect with the next request', async () => {
  const token = await issueToken({ ownOrganization: true });
  const email = await readAddress(token);
  expectFailure(await ask('GET', '/lab/staff', { token }), 403, 'permission_denied');
  const body = { email: ` ${email.toUpperCase()} `, roles: ['operator'] };
  const appointed = expectStatus(await ask('POST', '/lab/staff', { body }), 201).body;
  assert.equal(appointed.email, email);
  assert.deepEqual(await readLabPermissions(token), ['lab:read', 'lab:run']);
  const path = `/lab/staff/${getText(appointed.user_id)}`;
  const changed = expectStatus(await ask('PATCH', path, { body: { roles: ['finance', 'operator'] } }), 200);
  assert.deepEqual(changed.body.roles, ['operator', 'finance']);
  assert.equal(changed.body.staff_since, appointed.staff_since);
  assert.deepEqual(await readLabPermissions(token), ['lab:bill', 'lab:read', 'lab:run']);
  const listed = expectStatus(await ask('GET', `/lab/staff?email=${email}`, { token }), 200);
  assert.deepEqual(getItems(listed.body.items), [changed.body]);
  expectStatus(await ask('DELETE', path), 200);
  assert.deepEqual(await readLabPermissions(token), []);
  expectFailure(await ask('GET', '/lab/staff', { token }), 403, 'permission_denied');
});

test('audit: an appointment, a change and a dismissal → entries with the person, the roles and the former ones', async () => {
  const email = await build.createAccount();
  const { body } = expectStatus(
    await ask('POST', '/lab/staff', { body: { email, roles: ['operator'] } }),
    201,
  );
  const userId = getText(body.user_id);
  expectStatus(await ask('PATCH', `/lab/staff/${userId}`, { body: { roles: ['finance'] } }), 200);
  expectStatus(await ask('DELETE', `/lab/staff/${userId}`), 200);
  const entries = await service.service.database.read.query<{ operation_id: string; details: unknown }>(
    'select operation_id, details, organization_id, actor from audit_log where subject = $1 order by sequence',
    [userId],
  );
  const shared = { organization_id: INSTALLATION_ID, actor: 'demo@example.org' };
  assert.deepEqual(entries, [
    { operation_id: 'appoint_staff', details: { email, roles: ['operator'] }, ...shared },
    {
      operation_id: 'change_staff_roles',
      details: { email, roles: ['finance'], previous_roles: ['operator'] },
      ...shared,
    },
    { operation_id: 'dismiss_staff', details: { email, previous_roles: ['finance'] }, ...shared },
  ]);
});

test('person_not_found: an address without an account → 404; already_staff: one of the staff → 409', async () => {
  const body = { email: 'nobody@example.org', roles: ['operator'] };
  expectFailure(await ask('POST', '/lab/staff', { body }), 404, 'person_not_found');
  const known = { email: 'demo@example.org', roles: ['operator'] };
  expectFailure(await ask('POST', '/lab/staff', { body: known }), 409, 'already_staff');
});

test('address_not_proven: a copied link of another organization opened the account → 409; one of the own → appointed', async () => {
  const join = async (email: string, token?: string): Promise<void> => {
    const body = { email, role: 'viewer', delivery: 'link' };
    const invited = await ask('POST', '/organization/invitations', {
      body,
      ...(token === undefined ? {} : { token }),
    });
    const { pathname } = new URL(getText(invited.body.link));
    assert.equal(
      (await new Browser(service).post(pathname, { new_password: 'seven quiet otters swim' })).status,
      303,
    );
  };
  const foreign = await issueToken({ ownOrganization: true, role: 'admin' });
  await join('taken@example.org', foreign);
  const body = { email: 'taken@example.org', roles: ['operator'] };
  expectFailure(await ask('POST', '/lab/staff', { body }), 409, 'address_not_proven');
  await join('colleague@example.org');
  const own = { email: 'colleague@example.org', roles: ['operator'] };
  expectStatus(await ask('POST', '/lab/staff', { body: own }), 201);
});

test('staff_not_found: an unknown person or a client → 404', async () => {
  for (const id of [UNKNOWN_ID, await build.createMember()]) {
    const path = `/lab/staff/${id}`;
    expectFailure(await ask('PATCH', path, { body: { roles: ['operator'] } }), 404, 'staff_not_found');
    expectFailure(await ask('DELETE', path), 404, 'staff_not_found');
  }
});

test('staff_role_exceeded: a manager gives the role finance → 403; keeps that of somebody who has it → 200', async () => {
  const token = await issueToken({ staffRoles: ['manager'] });
  const email = await build.createAccount();
  const body = { email, roles: ['operator', 'finance'] };
  expectFailure(await ask('POST', '/lab/staff', { token, body }), 403, 'staff_role_exceeded');
  expectStatus(await ask('POST', '/lab/staff', { token, body: { email, roles: ['operator'] } }), 201);
  const operator = `/lab/staff/${await build.createStaff(['operator'])}`;
  const toFinance = { token, body: { roles: ['finance'] } };
  expectFailure(await ask('PATCH', operator, toFinance), 403, 'staff_role_exceeded');
  const finance = `/lab/staff/${await build.createStaff(['finance'])}`;
  expectStatus(await ask('PATCH', finance, { token, body: { roles: ['finance', 'operator'] } }), 200);
});

test('last_appointing_person: the only manager is changed or dismissed, also by two at once → 409, and one remains', async () => {
  const alone = await createRecordedService();
  const me = await readCallerId(alone.token, alone.ask);
  const path = `/lab/staff/${me}`;
  expectFailure(await alone.ask('DELETE', path), 409, 'last_appointing_person');
  const demoted = await alone.ask('PATCH', path, { body: { roles: ['operator', 'finance'] } });
  expectFailure(demoted, 409, 'last_appointing_person');
  await alone.issueToken({ staffRoles: ['finance'] });
  expectStatus(await alone.ask('PATCH', path, { body: { roles: ['manager'] } }), 200);
  const second = await alone.issueToken({ staffRoles: ['manager'] });
  const other = `/lab/staff/${await readCallerId(second, alone.ask)}`;
  const answers = await Promise.all([
    alone.ask('DELETE', other, { token: alone.token }),
    alone.ask('DELETE', path, { token: second }),
  ]);
  assert.ok(answers.some(({ status }) => status === 200) && answers.some(({ status }) => status >= 400));
  const managers = await alone.service.database.read.query(
    `select id from users where 'manager' = any(staff_roles)`,
  );
  assert.equal(managers.length, 1);
});

test('last_billing_person: the only one who may bill is changed or dismissed → 409; with another one → 200', async () => {
  const alone = await createRecordedService();
  const me = `/lab/staff/${await readCallerId(alone.token, alone.ask)}`;
  await alone.issueToken({ staffRoles: ['manager'] });
  expectFailure(await alone.ask('DELETE', me), 409, 'last_billing_person');
  const body = { roles: ['operator', 'manager'] };
  expectFailure(await alone.ask('PATCH', me, { body }), 409, 'last_billing_person');
  const second = await alone.issueToken({ staffRoles: ['finance'] });
  expectStatus(await alone.ask('PATCH', me, { body }), 200);
  const other = `/lab/staff/${await readCallerId(second, alone.ask)}`;
  expectFailure(await alone.ask('DELETE', other), 409, 'last_billing_person');
});

test('invalid_request: no role, an unknown role or a role too many → 400 that names it', async () => {
  const email = await build.createAccount();
  for (const roles of [[], ['admin'], ['operator', 'operator', 'operator', 'operator']])
    expectFailure(await ask('POST', '/lab/staff', { body: { email, roles } }), 400, 'invalid_request');
});

test('invalid_query: an unknown field → 400', async () => {
  expectFailure(await ask('GET', '/lab/staff?filter=eq(password,x)'), 400, 'invalid_query');
});

test('run_not_paid: an operator starts an unpaid run with a reason → permission_denied; a manager may', async () => {
  const { code } = await build.createInvoiced();
  const [operator, manager] = [
    await issueToken({ staffRoles: ['operator'] }),
    await issueToken({ staffRoles: ['manager'] }),
  ];
  expectStatus(await ask('POST', `/lab/experiments/${code}/materials`, { token: operator }), 200);
  const body = { instrument: 'Octet R8', override_reason: 'A client of many years.' };
  const path = `/lab/experiments/${code}/runs`;
  const refused = expectFailure(await ask('POST', path, { token: operator, body }), 403, 'permission_denied');
  assert.ok(getText(refused.body.error).includes('lab:review'));
  expectStatus(await ask('POST', path, { token: manager, body }), 201);
});

proveCoverage('lab-staff');
