/** Modules that load late, once the service is ready. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadLateModules } from './late-modules.ts';

test('late modules: all of a service → sign-in, pages and every operation are loaded', async () => {
  const calls: string[] = [];
  const parts = {
    app: { listRoutes: () => Promise.resolve(calls.push('pages')) },
    people: { loadLibrary: () => Promise.resolve(calls.push('sign-in')) },
  };
  await loadLateModules(parts, new AbortController().signal);
  assert.deepEqual(calls, ['sign-in', 'pages']);
});
