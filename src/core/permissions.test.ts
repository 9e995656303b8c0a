import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computePermissions, staffPermissions } from './permissions.ts';

const countStaffRights = (...args: Parameters<typeof computePermissions>): number =>
  [...computePermissions(...args)].filter((permission) => staffPermissions.has(permission)).length;

test('computePermissions: an admin token of a person of the staff → the rights of the roles while they administer their organization, none after', () => {
  assert.equal(countStaffRights('admin', 'admin', ['operator', 'manager', 'finance'], false), 6);
  for (const role of ['viewer', 'member', 'billing'] as const) {
    assert.equal(countStaffRights('admin', role, ['manager'], false), 0, role);
    assert.equal(countStaffRights(role, 'admin', ['manager'], false), 0, role);
  }
  assert.equal(countStaffRights('admin', 'admin', [], true), 0);
});
