import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rolePermissions, roles, staffRolePermissions, staffRoles } from '#core/permissions.ts';

test('staff roles: operator, manager, finance → exactly the permissions of the contract', () => {
  const held = Object.fromEntries(
    staffRoles.map((role) => [role, [...staffRolePermissions[role]].toSorted()]),
  );
  assert.deepEqual(held, {
    operator: ['lab:read', 'lab:run'],
    manager: ['lab:appoint', 'lab:price', 'lab:read', 'lab:review', 'lab:run'],
    finance: ['lab:bill', 'lab:read'],
  });
  for (const role of roles)
    for (const each of rolePermissions[role]) assert.ok(!each.startsWith('lab:'), role);
});
