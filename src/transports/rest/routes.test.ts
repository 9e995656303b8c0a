import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import Fastify from 'fastify';
import { Failure } from '#core/failures.ts';
import { RouteTable, TOO_LONG, type RouteDefaults } from './routes.ts';
import { findRoutes, ServedRoutes, serveRoutes } from './serve-routes.ts';

/** Finds the path of the route for a request, with its parameters. */
function ask(table: RouteTable, method: string, url: string): unknown {
  const found = table.find(method, url);
  return found === undefined || found === TOO_LONG ? found : [found.route.url, { ...found.params }];
}

function createTable(): RouteTable {
  const table = new RouteTable();
  const routes = table.open();
  for (const url of ['/', '/api/v1/things/:id', '/api/v1/things/new', '/things/:id/:name'])
    routes.get(url, () => url);
  routes.post('/api/v1/things/:id', () => 'posted');
  routes.get('/quiet', { exposeHeadRoute: false }, () => 'quiet');
  return table;
}

test('routes: an address → the fixed part before the parameter, escapes and a host read as what they stand for', () => {
  const table = createTable();
  assert.deepEqual(ask(table, 'GET', '/?a=/things'), ['/', {}]);
  assert.deepEqual(ask(table, 'GET', '/api/v1/things/7?x'), ['/api/v1/things/:id', { id: '7' }]);
  assert.deepEqual(ask(table, 'GET', '/api/v1/things/new'), ['/api/v1/things/new', {}]);
  assert.deepEqual(ask(table, 'GET', '/things/a/b%2Fc'), ['/things/:id/:name', { id: 'a', name: 'b/c' }]);
  assert.deepEqual(ask(table, 'GET', '/api/v1/%74hings/7'), ['/api/v1/things/:id', { id: '7' }]);
  assert.deepEqual(ask(table, 'GET', '/%61pi/v1/things/7?a=%'), ['/api/v1/things/:id', { id: '7' }]);
  assert.deepEqual(ask(table, 'GET', 'http://lab.example/api/v1/things/7'), [
    '/api/v1/things/:id',
    { id: '7' },
  ]);
});

test('routes: an address of nothing, another method, a trailing slash → nothing; a parameter of 301 characters → too long', () => {
  const table = createTable();
  for (const url of ['/nothing', '/api/v1/things', '/api/v1/things/7/', '/Things/a/b', '/constructor'])
    assert.equal(ask(table, 'GET', url), undefined, url);
  for (const method of ['DELETE', 'TRACE', 'constructor'])
    assert.equal(ask(table, method, '/api/v1/things/7'), undefined, method);
  assert.deepEqual(ask(table, 'GET', `/api/v1/things/${'x'.repeat(300)}`), [
    '/api/v1/things/:id',
    { id: 'x'.repeat(300) },
  ]);
  assert.equal(ask(table, 'GET', `/api/v1/things/${'x'.repeat(301)}`), TOO_LONG);
});

test('routes: HEAD → what answers GET, unless that refuses it; never what answers POST', () => {
  const table = createTable();
  assert.deepEqual(ask(table, 'HEAD', '/api/v1/things/7'), ['/api/v1/things/:id', { id: '7' }]);
  assert.equal(ask(table, 'HEAD', '/quiet'), undefined);
  assert.deepEqual(ask(table, 'GET', '/quiet'), ['/quiet', {}]);
});

test('routes: an address that begins with a parameter → refused when it is added', () => {
  const routes = new RouteTable().open();
  for (const url of ['/:any', '/*', 'things'])
    assert.throws(() => routes.get(url, () => url), /begins with no fixed part/, url);
});

test('routes: a part has defaults of its own → its failures are its own; an unknown address → its page, unless a program asks', async () => {
  const served = new ServedRoutes();
  served.open().get('/plain', () => Promise.resolve('plain'));
  const defaults: RouteDefaults = {
    answerError: (_request, reply, error) => reply.code(418).send(String(error)),
  };
  const pages = served.open(defaults);
  pages.get('/page', () => Promise.resolve('page'));
  pages.post('/page', () => Promise.reject(new Error('failure of a page')));
  served.addUnknown(defaults, (_request, reply) => reply.code(404).send('unknown'));
  const app = Fastify();
  findRoutes(app, served);
  app.addHook('onRequest', (request, _reply, done) =>
    done(request.servedRoute === null ? new Error('not served') : undefined),
  );
  app.setErrorHandler((error, request, reply) => {
    const answer = request.servedRoute?.defaults.answerError;
    return (
      answer?.(request, reply, error) ?? reply.code(error instanceof Failure ? error.status : 500).send()
    );
  });
  serveRoutes(app);
  const send = async (method: 'GET' | 'HEAD' | 'POST', url: string): Promise<unknown[]> => {
    const { statusCode, body, headers } = await app.inject({ method, url });
    return [statusCode, body, headers['content-length']];
  };
  assert.deepEqual(await send('GET', '/plain'), [200, 'plain', '5']);
  for (const url of ['/api/v1/nothing', '/%61pi', '//api/v1', '/API/v1', '/mcp?a=1'])
    assert.equal((await send('GET', url))[0], 500, url);
  assert.deepEqual(await send('GET', '/page'), [200, 'page', '4']);
  assert.deepEqual(await send('HEAD', '/page'), [200, '', '4']);
  assert.deepEqual(await send('POST', '/page'), [418, 'Error: failure of a page', '24']);
  assert.deepEqual(await send('GET', '/nothing'), [404, 'unknown', '7']);
  assert.equal((await send('POST', '/nothing'))[0], 500);
  assert.equal((await send('GET', '/.well-known/nothing'))[0], 500);
  assert.deepEqual(
    app.listRoutes().map(({ url }) => url),
    ['/plain', '/page', '/page'],
  );
  await app.close();
});

test('routes: HEAD of an answer that is a stream → the stream is destroyed, and not read to its end', async () => {
  const written = new PassThrough({ highWaterMark: 1 });
  written.write('the beginning of an archive');
  const served = new ServedRoutes();
  served.open().get('/archive', (_request, reply) => reply.type('application/zip').send(written));
  const app = Fastify();
  findRoutes(app, served);
  serveRoutes(app);
  const { statusCode, headers } = await app.inject({ method: 'HEAD', url: '/archive' });
  assert.deepEqual([statusCode, headers['content-type']], [200, 'application/zip']);
  assert.equal(written.destroyed, true);
  assert.equal(written.readableFlowing, null);
  await app.close();
});
