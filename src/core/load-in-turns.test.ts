/** Modules that load in turns of the event loop. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadInTurns } from './load-in-turns.ts';

test('late modules: several loads → one after the other, with a turn of the event loop before each', async () => {
  const steps: string[] = [];
  const load = (name: string) => () => {
    steps.push(name);
    setImmediate(() => steps.push('turn'));
    return Promise.resolve();
  };
  await loadInTurns([load('first'), load('second'), load('third')]);
  assert.deepEqual(steps, ['first', 'turn', 'second', 'turn', 'third']);
});

test('late modules: a load fails → the others follow', async () => {
  const loaded: string[] = [];
  const load = (name: string) => () => Promise.resolve(loaded.push(name));
  const broken = (): Promise<never> => Promise.reject(new Error('broken'));
  await loadInTurns([load('first'), broken, load('last')]);
  assert.deepEqual(loaded, ['first', 'last']);
});

test('late modules: the service stops while they load → no further one is loaded', async () => {
  const ending = new AbortController();
  let loaded = 0;
  const stop = (): Promise<void> => Promise.resolve(ending.abort());
  const count = (): Promise<number> => Promise.resolve((loaded += 1));
  await loadInTurns([count, stop, count], ending.signal);
  assert.equal(loaded, 1);
});

test('late modules: two callers load at once → no turn of the event loop loads for both', async () => {
  let turn = 0;
  const turns: number[] = [];
  const load = (): Promise<void> => {
    turns.push(turn);
    setImmediate(() => (turn += 1));
    return Promise.resolve();
  };
  await Promise.all([loadInTurns([load, load]), loadInTurns([load, load])]);
  assert.deepEqual(turns, [0, 1, 2, 3]);
});
