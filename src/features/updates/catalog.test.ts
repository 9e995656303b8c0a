import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventKinds } from './types.ts';

test('event_type: the catalog → the guide has each event with its topic and meaning, and no other', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/guide/updates.md'), 'utf8');
  const rows = [...guide.matchAll(/^\| `([a-z_]+\.[a-z_]+)` +\| `([a-z_]+)` +\| (.+?) +\|$/gm)];
  assert.deepEqual(
    Object.fromEntries(rows.map(([, event = '', type, means]) => [event, { type, means }])),
    eventKinds,
  );
});
