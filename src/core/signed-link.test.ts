import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLinkSigner } from './signed-link.ts';

const NOW = new Date('2026-01-25T09:00:00Z');
const LATER = new Date('2026-01-25T10:00:00Z');
const links = createLinkSigner(Buffer.alloc(32, 7));

function parseLink(link: string): { path: string; query: Record<string, string> } {
  const url = new URL(link, 'http://localhost');
  return { path: url.pathname, query: Object.fromEntries(url.searchParams) };
}

test('link_expired: a signed link until and after its expiry → accepted, then refused', () => {
  const { path, query } = parseLink(links.sign('/files/a/1', LATER));
  links.check(path, query, NOW);
  assert.throws(() => links.check(path, query, LATER), { code: 'link_expired' });
});

test('link_invalid: another path, time, signing key or signature → refused', () => {
  const { path, query } = parseLink(links.sign('/files/a/1', LATER));
  const { expires = '', signature = '' } = query;
  const changed = (signature.startsWith('0') ? '1' : '0') + signature.slice(1);
  const attempts: [string, unknown][] = [
    ['/files/a/2', query],
    [path, { expires: String(Number(expires) + 1), signature }],
    [path, { expires, signature: changed }],
    [path, { expires, signature: signature.slice(2) }],
    [path, { expires, signature: signature.toUpperCase() }],
    [path, { expires: [expires], signature }],
    [path, { signature }],
    [path, {}],
    [path, null],
  ];
  for (const [at, signature] of attempts)
    assert.throws(() => links.check(at, signature, NOW), { code: 'link_invalid' });
  const other = createLinkSigner(Buffer.alloc(32, 8));
  assert.throws(() => other.check(path, query, NOW), { code: 'link_invalid' });
});
