import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { cutSlowReader } from './cut-slow-reader.ts';

const PACE = { windowMs: 100, bytesMin: 64 * 1024 };
/** More than the buffers of both ends hold. */
const CHUNK = Buffer.alloc(64 * 1024);

const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the address of a server that listens on a port
const { port } = server.address() as AddressInfo;
after(() => server.close());

/** An answer without end, as fast as the client takes it, and the client. */
async function openAnswer(): Promise<{ readonly raw: ServerResponse; readonly client: Socket }> {
  const client = connect(port, '127.0.0.1');
  client.on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const raw = await new Promise<ServerResponse>((resolve) =>
    server.once('request', (_request, answer) => resolve(answer)),
  );
  cutSlowReader(raw, PACE);
  return { raw, client };
}

function pour(raw: ServerResponse): void {
  const fill = (): void => {
    while (!raw.destroyed && raw.write(CHUNK));
  };
  raw.on('drain', fill);
  fill();
}

test('archives: a reader stops reading → its answer is destroyed', { timeout: 20_000 }, async () => {
  const { raw, client } = await openAnswer();
  pour(raw);
  await once(raw, 'close');
  assert.equal(raw.writableFinished, false);
  client.destroy();
});

test(
  'archives: a reader takes a few bytes a second → its answer is destroyed',
  { timeout: 20_000 },
  async () => {
    const { raw, client } = await openAnswer();
    client.pause();
    const trickle = setInterval(() => client.read(1), 10);
    pour(raw);
    await once(raw, 'close');
    clearInterval(trickle);
    client.destroy();
  },
);

test('archives: a reader keeps reading, and waits for the service → its answer goes on', async () => {
  const { raw, client } = await openAnswer();
  client.resume();
  raw.write('the beginning');
  await wait(4 * PACE.windowMs);
  assert.equal(raw.destroyed, false);
  pour(raw);
  await wait(4 * PACE.windowMs);
  assert.equal(raw.destroyed, false);
  client.destroy();
  await once(raw, 'close');
});
