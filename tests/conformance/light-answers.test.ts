/** Answers that travel light: tags, 304, compression, and what stays as it is. */
import assert from 'node:assert/strict';
import { request as askOverLoopback } from 'node:http';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { createBuilders, createSequences } from '#testing/builders.ts';
import { getItems, getText, testService } from '#testing/service.ts';
import { STYLE_PATH } from '#ui/assets.ts';
import { chooseEncoding, hasTag } from '#transports/rest/light-answers.ts';
import { listen } from './mcp-clients.ts';

const service = await testService();
const { ask, token } = service;
const { createBody, createReleased } = await createBuilders(service);
const { code } = await createReleased(createBody({ n_replicates: 1, sequences: createSequences(2) }));
const listed = await ask('GET', `/experiments/${code}/results`);
const resultId = getText(getItems(listed.body.items)[0]?.id);
const linked = await ask('GET', `/experiments/${code}/quote/pdf`);
const documentUrl = new URL(String(linked.headers.location));

const PLOT = `/api/v1/results/${resultId}/plot.svg`;
const DOCUMENT = '/api/v1/openapi.json';
const PDF = documentUrl.pathname + documentUrl.search;
const RECORDS = `/api/v1/experiments/${code}/results`;

type Headers = Readonly<Record<string, string>>;

async function fetchRaw(method: 'GET' | 'HEAD', url: string, headers: Headers = {}) {
  const own = { authorization: `Bearer ${token}` };
  const answer = await service.service.app.inject({ method, url, headers: { ...own, ...headers } });
  return { status: answer.statusCode, headers: answer.headers, bytes: answer.rawPayload, text: answer.body };
}

async function linkPackage(): Promise<URL> {
  const { body, headers } = await ask('GET', `/experiments/${code}/data-package`);
  return new URL(headers.location ?? getText(body.url));
}

for (const [name, url, control, vary] of [
  ['a plot', PLOT, 'private, no-cache', 'accept, accept-encoding'],
  [
    'the OpenAPI document',
    DOCUMENT,
    'private, no-cache',
    'authorization, x-service-api-key, accept-encoding',
  ],
  ['a style sheet', STYLE_PATH, 'public, max-age=31536000, immutable', 'accept-encoding'],
  ['a PDF document', PDF, 'private, no-cache', undefined],
] as const) {
  test(`etag: ${name} that the client holds → 304 without a body; another tag → the whole`, async () => {
    const whole = await fetchRaw('GET', url);
    const tag = String(whole.headers.etag);
    assert.equal(whole.status, 200);
    assert.match(tag, /^W\/"[\w-]{22}"$/);
    assert.equal(whole.headers['cache-control'], control);
    assert.equal(whole.headers.vary, vary);
    for (const method of ['GET', 'HEAD'] as const) {
      const held = await fetchRaw(method, url, { 'if-none-match': `"other", ${tag}` });
      assert.deepEqual([held.status, held.text], [304, ''], method);
      for (const header of ['etag', 'cache-control', 'vary'])
        assert.equal(held.headers[header], whole.headers[header], `${method} ${header}`);
      for (const header of ['content-length', 'content-type', 'content-encoding'])
        assert.equal(held.headers[header], undefined, `${method} ${header}`);
    }
    const other = await fetchRaw('GET', url, { 'if-none-match': '"other"' });
    assert.deepEqual([other.status, other.text], [200, whole.text]);
  });
}

test('etag: a record, a refusal and a page → none, and no client may store them', async () => {
  for (const [url, status] of [
    [RECORDS, 200],
    ['/api/v1/experiments/nowhere', 404],
    ['/docs', 200],
  ] as const) {
    const answer = await fetchRaw('GET', url, { 'if-none-match': '*' });
    assert.deepEqual([answer.status, answer.headers.etag], [status, undefined], url);
    assert.match(String(answer.headers['cache-control']), /no-store/, url);
  }
});

test('etag: the OpenAPI document of staff and of nobody → different tags', async () => {
  const [own, public_] = [
    await fetchRaw('GET', DOCUMENT),
    await ask('GET', '/openapi.json', { token: null }),
  ];
  assert.notEqual(own.headers.etag, public_.headers.etag);
});

for (const [encoding, decompress] of [
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
] as const) {
  test(`compression: texts for a client that accepts ${encoding} → the same text, smaller; HEAD tells that length`, async () => {
    for (const url of [PLOT, DOCUMENT, STYLE_PATH, RECORDS, '/docs', '/assets/nowhere.css']) {
      const plain = await fetchRaw('GET', url);
      const light = await fetchRaw('GET', url, { 'accept-encoding': encoding });
      assert.match(
        plain.headers.vary ?? '',
        plain.bytes.length < 1_024 ? /^(?!.*encoding)/ : /accept-encoding/,
      );
      if (plain.bytes.length < 1_024) {
        assert.equal(light.headers['content-encoding'], undefined, url);
        continue;
      }
      assert.equal(light.headers['content-encoding'], encoding, url);
      assert.equal(light.headers.etag, plain.headers.etag, url);
      assert.ok(decompress(light.bytes).equals(plain.bytes), url);
      assert.ok(light.bytes.length < plain.bytes.length / 2, `${url}: ${light.bytes.length}`);
      const head = await fetchRaw('HEAD', url, { 'accept-encoding': encoding });
      assert.equal(head.headers['content-length'], String(light.bytes.length), url);
      assert.equal(head.headers['content-encoding'], encoding, url);
    }
  });
}

test('compression: PDF, archives, streams of events, short answers, and clients that accept none → unchanged', async () => {
  const accepted = { 'accept-encoding': 'gzip, br' };
  const packageUrl = await linkPackage();
  const stream = '/api/v1/updates/stream?follow=false';
  for (const url of [PDF, packageUrl.pathname + packageUrl.search, stream, '/api/v1/info/health']) {
    const answer = await fetchRaw('GET', url, accepted);
    assert.deepEqual([answer.status, answer.headers['content-encoding']], [200, undefined], url);
  }
  for (const refused of ['identity', 'br;q=0, gzip;q=0', 'zstd', ''])
    assert.equal(
      (await fetchRaw('GET', PLOT, { 'accept-encoding': refused })).headers['content-encoding'],
      undefined,
    );
});

test('compression: an answer to a cookie → unchanged, unless it is the same for everybody', async () => {
  const browser = { cookie: 'session=unknown', 'accept-encoding': 'br' };
  for (const [url, encoding] of [
    ['/docs', undefined],
    [RECORDS, undefined],
    [STYLE_PATH, 'br'],
  ] as const)
    assert.equal((await fetchRaw('GET', url, browser)).headers['content-encoding'], encoding, url);
});

test('compression: the data package over a connection → unchanged, with its length', async () => {
  const base = await listen(service);
  const { pathname, search } = await linkPackage();
  const [stated, size] = await new Promise<[stated: string | undefined, size: number]>((resolve, reject) => {
    askOverLoopback(base + pathname + search, { headers: { 'accept-encoding': 'br' } }, (answer) => {
      assert.equal(answer.headers['content-encoding'], undefined);
      let length = 0;
      answer
        .on('data', (part: Buffer) => (length += part.length))
        .on('end', () => resolve([answer.headers['content-length'], length]));
    })
      .on('error', reject)
      .end();
  });
  assert.ok(size > 0);
  assert.equal(stated, String(size));
});

test('accept-encoding: names, weights and the wildcard → the best that is accepted', () => {
  for (const [header, encoding] of [
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['X-GZIP;Q=0.3', 'gzip'],
    ['*', 'br'],
    ['*, br;q=0', 'gzip'],
    ['br;q=nonsense', undefined],
    ['deflate', undefined],
    [undefined, undefined],
  ] as const)
    assert.equal(chooseEncoding(header), encoding, header);
});

test('if-none-match: weak and strong tags in a list, and the wildcard → found; a part of a tag → not', () => {
  for (const header of ['"a"', 'W/"a"', '"b", W/"a"', ' * ']) assert.ok(hasTag(header, 'W/"a"'), header);
  for (const header of [undefined, '', 'a', '"b"', '"aa"']) assert.ok(!hasTag(header, 'W/"a"'), header);
});
