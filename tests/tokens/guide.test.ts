import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { actions, resources, rolePermissions, roles } from '#core/permissions.ts';
import { AttenuationSpec } from '#features/tokens/contract.ts';

const text = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'guide', 'tokens.md'), 'utf8');

/** The cells of the rows of a table that begin with a name in code. */
const rows = text
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, name = '']) => /^`[\w:]+`$/.test(name))
  .map(([, name = '', ...cells]) => [name.replaceAll('`', ''), cells] as const);

test('token guide: its table of roles → equals the code', () => {
  const documented = rows.filter(([name]) => name.includes(':'));
  const expected = resources
    .flatMap((resource) => actions.map((action) => `${resource}:${action}` as const))
    .filter((permission) => roles.some((role) => rolePermissions[role].has(permission)))
    .map((permission) => [permission, roles.map((role) => rolePermissions[role].has(permission))]);
  assert.deepEqual(
    documented.map(([name, cells]) => [name, roles.map((_, index) => cells[index] === 'yes')]),
    expected,
  );
});

test('token guide: every limit of a token → is explained', () => {
  const explained = rows
    .map(([name]) => name)
    .filter((name) => Object.hasOwn(AttenuationSpec.properties, name));
  assert.deepEqual(explained.sort(), Object.keys(AttenuationSpec.properties).sort());
});
