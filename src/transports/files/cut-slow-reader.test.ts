import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { after, test, type TestContext } from 'node:test';
import { setImmediate as turnLoop } from 'node:timers/promises';
import { cutSlowReader } from './send-package.ts';

const PACE = { windowMs: 100, bytesMin: 64 * 1024 };
/** More than the buffers of both ends hold. */
const CHUNK = Buffer.alloc(64 * 1024);

const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the address of a server that listens on a port
const { port } = server.address() as AddressInfo;
after(() => {
  server.closeAllConnections();
  server.close();
});

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

/** Lets windows pass when the test says so. */
function holdWindows(t: TestContext): () => void {
  t.mock.timers.enable({ apis: ['setInterval'] });
  return () => t.mock.timers.tick(PACE.windowMs);
}

/** Until bytes wait for the client and nothing takes them. */
async function waitUntilFull(raw: ServerResponse): Promise<void> {
  let taken = -1;
  while (raw.writableLength === 0 || taken !== countTaken(raw)) {
    taken = countTaken(raw);
    for (let turn = 0; turn < 20; turn += 1) await turnLoop();
  }
}

const countTaken = ({ socket }: ServerResponse): number =>
  socket === null ? 0 : socket.bytesWritten - socket.writableLength;

test('archives: a reader stops reading → its answer is destroyed', async (t) => {
  const passWindow = holdWindows(t);
  const { raw, client } = await openAnswer();
  pour(raw);
  await waitUntilFull(raw);
  passWindow();
  assert.equal(raw.destroyed, false);
  passWindow();
  assert.deepEqual([raw.destroyed, raw.writableFinished], [true, false]);
  // It clears its timer, which must be one of this test.
  await once(raw, 'close');
  client.destroy();
});

test('archives: a reader takes a few bytes in each window → its answer is destroyed', async (t) => {
  const passWindow = holdWindows(t);
  const { raw, client } = await openAnswer();
  client.pause();
  pour(raw);
  await waitUntilFull(raw);
  const readByte = (): Promise<void> => {
    client.read(1);
    return waitUntilFull(raw);
  };
  // The first reads make the client take whole blocks, until its own buffer is full.
  for (let block = 0; block < 4; block += 1) await readByte();
  passWindow();
  await readByte();
  passWindow();
  assert.equal(raw.destroyed, true);
  await once(raw, 'close');
  client.destroy();
});

test('archives: a reader keeps reading, and waits for the service → its answer goes on', async (t) => {
  const passWindow = holdWindows(t);
  const { raw, client } = await openAnswer();
  client.resume();
  raw.write('the beginning');
  while (client.bytesRead === 0 || raw.writableLength > 0) await turnLoop();
  for (let window = 0; window < 4; window += 1) passWindow();
  assert.equal(raw.destroyed, false);
  pour(raw);
  for (let window = 0; window < 4; window += 1) {
    passWindow();
    assert.equal(raw.destroyed, false);
    const enough = (raw.socket?.bytesWritten ?? 0) + PACE.bytesMin;
    while (client.bytesRead < enough) await turnLoop();
  }
  client.destroy();
  await once(raw, 'close');
});
