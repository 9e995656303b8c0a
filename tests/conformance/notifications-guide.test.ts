import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { clientEvents, staffEvents } from '#features/notifications/events.ts';

test('notifications: the list of events → the guide has each with its meaning and its usual roles, and no other', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/guide/notifications.md'), 'utf8');
  const rows = [...guide.matchAll(/^\| `([a-z_]+)` +\| (.+?) +\| (.+?) +\|$/gm)];
  assert.deepEqual(
    rows.map(([, event, means, roles]) => [event, means, roles]),
    Object.entries({ ...clientEvents, ...staffEvents }).map(([event, { means, usualFor }]) => [
      event,
      means,
      usualFor.join(', '),
    ]),
  );
});
