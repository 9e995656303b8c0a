import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectFailure, expectStatus } from '#testing/builders.ts';
import { proveCoverage, recordedService } from '#testing/recorder.ts';
import { itemsOf } from '#testing/service.ts';

const { ask, newToken, token: founderToken } = await recordedService();

test('whoami: names the caller, the active organization and the permissions of the role', async () => {
  const viewer = await ask('GET', '/whoami', { token: await newToken({ role: 'viewer' }) });
  const [organization, ...others] = itemsOf(viewer.body.organizations);
  assert.equal(others.length, 0);
  assert.equal(organization?.active, true);
  assert.equal(organization?.role, 'viewer');
  assert.equal(organization?.id, viewer.body.active_organization_id);
  assert.ok(viewer.text.includes('experiment:read'));
  assert.ok(!viewer.text.includes('experiment:create'));
  assert.equal(viewer.body.token_expires_at, '2026-05-31T09:00:00.000Z');
});

test('list_tokens: shows the own tokens with their lineage and never their value', async () => {
  const listed = expectStatus(await ask('GET', '/tokens'), 200);
  const [own] = itemsOf(listed.body.items);
  assert.equal(own?.kind, 'root');
  assert.equal(own?.root_token_id, own?.id);
  assert.ok(!listed.text.includes(founderToken.slice(0, 40)));
});

test('invalid_query: a filter on a field that tokens do not have is refused', async () => {
  expectFailure(await ask('GET', '/tokens?filter=eq(colour,red)'), 400, 'invalid_query');
});

test('revoke_token: revokes the family of the calling token and nothing else', async () => {
  const token = await newToken({ role: 'member' });
  const revoked = expectStatus(await ask('POST', '/tokens/revoke', { token, body: {} }), 200);
  assert.equal(revoked.body.children_revoked, 0);
  assert.equal(revoked.body.revoked_at, '2026-03-02T09:00:00.000Z');
  expectFailure(await ask('GET', '/whoami', { token }), 401, 'token_revoked');
  expectStatus(await ask('GET', '/whoami'), 200);
});

proveCoverage('tokens');
