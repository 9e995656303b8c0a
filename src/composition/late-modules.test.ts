/** Modules that load late, once the service is ready. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadLateModules } from './late-modules.ts';

test('late modules: a service is ready → the library of sign-in is made, so that no first request waits for it', async () => {
  let made = 0;
  const people = { loadLibrary: () => Promise.resolve((made += 1)) };
  await loadLateModules({ people }, new AbortController().signal);
  assert.equal(made, 1);
});
