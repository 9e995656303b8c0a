/** The interactive sign-in of agents with the real clients: discovery, registration, consent, token, tool, sign-out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { UnauthorizedError as OldUnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Agent } from '#testing/agent.ts';
import { OAuth } from '#testing/oauth.ts';
import { testService } from '#testing/service.ts';
import { listen } from './mcp-clients.ts';

const service = await testService();
const address = await listen(service);
const oauth = new OAuth(service);
const url = new URL('/mcp/', address);
const identity = { name: 'assayer-tests', version: '1.0.0' };

/** What the person does with the address that the agent opens. */
async function giveConsent(agent: Agent) {
  assert.ok(agent.sentTo !== undefined, 'the agent sent the person nowhere');
  const browser = await oauth.openBrowser();
  const { query } = await oauth.openConsentPage(browser, agent.sentTo.pathname + agent.sentTo.search);
  const decided = await oauth.giveConsent(browser, query);
  assert.equal(decided.status, 303, decided.text);
  return { browser, callback: new URL(decided.location ?? '') };
}

const newest = {
  isUnauthorized: (error: unknown) => error instanceof UnauthorizedError,
  async connect(agent: Agent) {
    const client = new Client(identity, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(url, { authProvider: agent }));
    return client;
  },
  finish: (agent: Agent, callback: URL) =>
    new StreamableHTTPClientTransport(url, { authProvider: agent }).finishAuth(callback.searchParams),
};

const old = {
  isUnauthorized: (error: unknown) => error instanceof OldUnauthorizedError,
  async connect(agent: Agent) {
    const client = new OldClient(identity);
    await client.connect(new OldTransport(url, { authProvider: agent }));
    return client;
  },
  finish: (agent: Agent, callback: URL) =>
    new OldTransport(url, { authProvider: agent }).finishAuth(callback.searchParams.get('code') ?? ''),
};

for (const [name, kind] of [
  ['client 2.4', newest],
  ['sdk 1.32', old],
] as const) {
  test(`${name}: from no account to a tool call → works, and is refused after the person signs out`, async () => {
    const agent = new Agent();
    await assert.rejects(kind.connect(agent), kind.isUnauthorized);
    const { browser, callback } = await giveConsent(agent);
    await kind.finish(agent, callback);
    const client = await kind.connect(agent);
    const answer = await client.callTool({ name: 'whoami', arguments: {} });
    assert.match(JSON.stringify(answer.structuredContent), /"Demo organization"/);

    // The agent goes on by itself when its access ends.
    const { refresh_token: before } = agent.tokens() ?? {};
    assert.ok(before !== undefined);
    agent.saveTokens({ access_token: 'ey0.ended.x', token_type: 'Bearer', refresh_token: before });
    await client.callTool({ name: 'whoami', arguments: {} });
    assert.notEqual(agent.tokens()?.refresh_token, before);

    await browser.send(await browser.open('/'), '/sign-out');
    agent.sentTo = undefined;
    await assert.rejects(client.callTool({ name: 'whoami', arguments: {} }));
    assert.ok(agent.sentTo !== undefined, 'the agent should ask the person again');
    await client.close();
  });
}

test('hostile 13, iss mismatch: another issuer sends the code → the client refuses it and the code stays unused', async () => {
  const agent = new Agent();
  await assert.rejects(newest.connect(agent), newest.isUnauthorized);
  const { callback } = await giveConsent(agent);
  const mixed = new URL(callback);
  mixed.searchParams.set('iss', 'https://attacker.example/auth');
  await assert.rejects(newest.finish(agent, mixed), /iss/i);
  assert.equal(agent.tokens(), undefined);
  await newest.finish(agent, callback);
  assert.ok(agent.tokens() !== undefined);
});
