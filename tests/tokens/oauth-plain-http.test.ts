/** An address that is neither https nor the machine itself has no OAuth: signing in and tokens go on as before. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectStatus } from '#testing/builders.ts';
import { openSignedIn } from '#testing/browser.ts';
import { OAuth } from '#testing/oauth.ts';
import { testService } from '#testing/service.ts';

const service = await testService({ BASE_URL: 'http://lab.example:8080' });
const { ask, token } = service;

test('plain HTTP: an address that is neither https nor local → no OAuth, and everything else works', async () => {
  const metadata = expectStatus(
    await ask('GET', '//.well-known/oauth-protected-resource/mcp/', { token: null }),
    200,
  );
  assert.equal(metadata.body.authorization_servers, undefined);
  for (const path of ['/.well-known/oauth-authorization-server', '/auth/oauth2/authorize'])
    expectStatus(await ask('GET', `/${path}`, { token: null }), 404);
  assert.equal((await new OAuth(service).register()).status, 404);
  const person = await openSignedIn(service);
  assert.equal((await person.open('/account')).status, 200);
  expectStatus(await ask('GET', '/whoami', { token }), 200);
});
