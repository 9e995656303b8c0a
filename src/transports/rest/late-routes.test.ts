import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { compileRoutesLate } from './late-routes.ts';

/** How many functions are made from text while `run` runs. */
async function countMade(run: () => Promise<unknown>): Promise<number> {
  const original = globalThis.Function;
  let made = 0;
  globalThis.Function = new Proxy(original, {
    construct(target, args) {
      made += 1;
      return Reflect.construct(target, args);
    },
  });
  try {
    await run();
  } finally {
    globalThis.Function = original;
  }
  return made;
}

test('routes: added → make no function for their parameters; first asked for → one, and the answer is that of the address', async () => {
  compileRoutesLate();
  compileRoutesLate();
  const app = Fastify();
  const added = await countMade(async () => {
    app.get('/:a/:b/:c/:d/:e', (request) => Promise.resolve(request.params));
    app.get('/:a', (request) => Promise.resolve(request.params));
    app.post('/:a', (request) => Promise.resolve({ posted: request.params }));
    await app.ready();
  });
  // Those of the server itself are made with the first route and depend on no address.
  const others = await countMade(async () => {
    const empty = Fastify();
    empty.get('/', () => Promise.resolve('ok'));
    await empty.ready();
  });
  assert.ok(added <= others, `${added} functions for three routes, ${others} for one without parameters`);
  const ask = async (method: 'GET' | 'POST', url: string): Promise<unknown> =>
    (await app.inject({ method, url })).json();
  const first = await countMade(() => ask('GET', '/1/2/3/4/5'));
  const again = await countMade(() => ask('GET', '/1/2/3/4/5'));
  assert.ok(first > again, `${first} functions at first, ${again} again`);
  assert.deepEqual(await ask('GET', '/1/2/3/4/5'), { a: '1', b: '2', c: '3', d: '4', e: '5' });
  assert.deepEqual(await ask('GET', '/x'), { a: 'x' });
  assert.deepEqual(await ask('POST', '/x'), { posted: { a: 'x' } });
  assert.equal((await app.inject({ method: 'PUT', url: '/x' })).statusCode, 404);
  await app.close();
});
