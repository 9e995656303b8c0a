/** Requests are counted for the family of a token and for its organization: making tokens makes no room. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectFailure, expectStatus } from '#testing/builders.ts';
import { openSignedIn } from '#testing/browser.ts';
import { OAuth } from '#testing/oauth.ts';
import { testService, getText, type TestService } from '#testing/service.ts';

const BURST = 12;
const limits = { RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: String(BURST) };

/** Makes room again, for what a test prepares and for what it then counts. */
function refill({ clock }: TestService): void {
  clock.advance(3_600_000);
}

async function countAnswered(
  { ask }: TestService,
  tokens: readonly string[],
  requests: number,
): Promise<number> {
  let answered = 0;
  for (let index = 0; index < requests; index++) {
    const token = tokens[index % tokens.length] ?? '';
    const { status } = await ask('GET', '/whoami', { token });
    assert.ok(status === 200 || status === 429, String(status));
    if (status === 200) answered += 1;
  }
  return answered;
}

test('rate_limited: 22 tokens of one family → together as many of 300 requests as one token alone', async () => {
  const service = await testService(limits);
  const root = await service.issueToken({ role: 'member' });
  const tokens = [root];
  while (tokens.length < 22) {
    refill(service);
    const from = tokens.at(-1) ?? root;
    const body =
      tokens.length % 3 === 0
        ? { name: 'made', role: 'member', expires_in: '90d' }
        : { token: tokens.length % 2 === 0 ? root : from, name: 'derived', attenuation: {} };
    const path = 'token' in body ? '/tokens/attenuate' : '/tokens';
    const made = expectStatus(await service.ask('POST', path, { token: root, body }), 201);
    tokens.push(getText(made.body.token));
  }
  refill(service);
  assert.equal(await countAnswered(service, [root], 300), BURST);
  refill(service);
  assert.equal(await countAnswered(service, tokens, 300), BURST);
});

test('rate_limited: the tokens of one organization → share its limit, and others are not affected', async () => {
  const service = await testService({ ...limits, RATE_LIMIT_ORGANIZATION_FACTOR: '3' });
  const tokens: string[] = [];
  while (tokens.length < 8) tokens.push(await service.issueToken({ role: 'viewer' }));
  assert.equal(await countAnswered(service, tokens, 8 * BURST), 3 * BURST);
  const refused = expectFailure(
    await service.ask('GET', '/whoami', { token: await service.issueToken() }),
    429,
    'rate_limited',
  );
  assert.equal(refused.headers['retry-after'], '1');
  assert.equal(refused.headers.ratelimit, '"token";r=12, "organization";r=0;t=1');
  const stranger = await service.issueToken({ ownOrganization: true });
  expectStatus(await service.ask('GET', '/whoami', { token: stranger }), 200);
});

test('rate_limited: one bucket refuses a request → the other bucket loses nothing', async () => {
  const service = await testService({ ...limits, RATE_LIMIT_ORGANIZATION_FACTOR: '2' });
  const [loud, quiet] = [await service.issueToken(), await service.issueToken()];
  assert.equal(await countAnswered(service, [loud], 100), BURST);
  assert.equal(await countAnswered(service, [quiet], 100), BURST);
});

test('RateLimit header: limits for token and organization → both policies with what is left', async () => {
  const service = await testService(limits);
  const { headers } = expectStatus(await service.ask('GET', '/whoami'), 200);
  assert.equal(headers['ratelimit-policy'], '"token";q=12;w=12, "organization";q=60;w=12');
  assert.equal(headers.ratelimit, '"token";r=11, "organization";r=59');
});

test('RateLimit header: no limit for organizations → only that of the token', async () => {
  const service = await testService({ ...limits, RATE_LIMIT_ORGANIZATION_FACTOR: '0' });
  const { headers } = expectStatus(await service.ask('GET', '/whoami'), 200);
  assert.equal(headers.ratelimit, '"token";r=11');
});

test('rate_limited: the sessions of a person and their programs over OAuth → share one limit', async () => {
  const service = await testService({ ...limits, RATE_LIMIT_BURST: '40' });
  const token = await service.issueToken({ role: 'member' });
  const userId = getText((await service.ask('GET', '/whoami', { token })).body.user_id);
  const [one, two] = [await openSignedIn(service, userId), await openSignedIn(service, userId)];
  const oauth = new OAuth(service);
  const { access } = await oauth.redeemTokens(await oauth.runDance(one));
  // The people of an organization have a bucket each.
  refill(service);
  let pages = 0;
  for (let index = 0; index < 60; index++) {
    const { status } = await (index % 2 === 0 ? one : two).open('/account');
    assert.ok(status === 200 || status === 429, String(status));
    if (status === 200) pages += 1;
  }
  assert.equal(pages, 40);
  assert.equal((await oauth.call(access)).status, 429);
  expectStatus(await service.ask('GET', '/whoami', { token }), 200);
});
