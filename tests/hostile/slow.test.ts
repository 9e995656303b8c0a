import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openRaw, formatRequest, type RawConnection } from '#testing/raw-http.ts';
import { testService } from '#testing/service.ts';

const SLOW = 1_000;
const CUT_WITHIN_MS = 60_000;
/** Between two good requests: sent without a pause, they would do nothing but heat a core until the sockets are cut. */
const PAUSE_MS = 100;

const { service, token } = await testService();
const address = await service.app.listen({ host: '127.0.0.1', port: 0 });
const port = Number(new URL(address).port);

const beginnings = [
  // Nothing at all, part of a header, and part of a body.
  '',
  'GET /api/v1/whoami HTTP/1.1\r\nHost: localhost\r\nX-Slow: ',
  formatRequest(
    'POST /api/v1/experiments',
    [`Authorization: Bearer ${token}`, 'Content-Type: application/json', 'Content-Length: 1000'],
    '{"name":',
  ),
];

async function begin(text: string): Promise<RawConnection> {
  const connection = openRaw(port);
  await once(connection.socket, 'connect');
  if (text !== '') connection.socket.write(text);
  return connection;
}

test('request_timeout: 1,000 slow sockets → they are cut off and good traffic goes on', async () => {
  const slow: RawConnection[] = [];
  for (let index = 0; index < SLOW; index++)
    slow.push(await begin(beginnings[index % beginnings.length] ?? ''));
  const begun = performance.now();
  const state = { open: SLOW };
  for (const { closed } of slow) void closed.then(() => (state.open -= 1));
  let answered = 0;
  while (state.open > 0 && performance.now() - begun < CUT_WITHIN_MS) {
    const answer = await fetch(`${address}/api/v1/whoami`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(answer.status, 200);
    await answer.body?.cancel();
    answered++;
    await wait(PAUSE_MS);
  }
  for (const { socket } of slow) socket.destroy();
  assert.equal(state.open, 0, `${state.open} slow sockets were never cut`);
  assert.ok(answered > 20);
  const answers = await Promise.all(slow.map(({ closed }) => closed));
  const withHeaders = answers.filter(({ text }) => text !== '');
  assert.ok(withHeaders.every(({ text, status }) => status === 408 && text.includes('request_timeout')));
});
