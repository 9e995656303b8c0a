/** Modules that load late, once the service is ready. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadLateModules } from './late-modules.ts';

const NOTHING = {
  app: { listRoutes: () => Promise.resolve([]) },
  people: { loadLibrary: () => Promise.resolve() },
};

test('late modules: several loads → one after the other, with a turn of the event loop before each', async () => {
  const steps: string[] = [];
  const load = (name: string) => () => {
    steps.push(name);
    setImmediate(() => steps.push('turn'));
    return Promise.resolve();
  };
  await loadLateModules(NOTHING, new AbortController().signal, [
    load('first'),
    load('second'),
    load('third'),
  ]);
  assert.deepEqual(steps, ['first', 'turn', 'second', 'turn', 'third']);
});

test('late modules: a load fails → the others follow', async () => {
  const loaded: string[] = [];
  const load = (name: string) => () => Promise.resolve(loaded.push(name));
  const broken = (): Promise<never> => Promise.reject(new Error('broken'));
  await loadLateModules(NOTHING, new AbortController().signal, [load('first'), broken, load('last')]);
  assert.deepEqual(loaded, ['first', 'last']);
});

test('late modules: the service stops while they load → no further one is loaded', async () => {
  const ending = new AbortController();
  let loaded = 0;
  const stop = (): Promise<void> => Promise.resolve(ending.abort());
  const count = (): Promise<number> => Promise.resolve((loaded += 1));
  await loadLateModules(NOTHING, ending.signal, [count, stop, count]);
  assert.equal(loaded, 1);
});

test('late modules: all of a service → sign-in, pages and every operation are loaded', async () => {
  const calls: string[] = [];
  const parts = {
    app: { listRoutes: () => Promise.resolve(calls.push('pages')) },
    people: { loadLibrary: () => Promise.resolve(calls.push('sign-in')) },
  };
  await loadLateModules(parts, new AbortController().signal);
  assert.deepEqual(calls, ['sign-in', 'pages']);
});
