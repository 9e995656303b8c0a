import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { watchSilentConnections } from './server.ts';

test('shutdown: one connection sent nothing, another is in a request → the first alone is closed', async () => {
  const server = createServer();
  const closeSilent = watchSilentConnections(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const open = async (): Promise<Socket> => {
    const socket = connect(address.port, '127.0.0.1');
    await Promise.all([once(server, 'connection'), once(socket, 'connect')]);
    return socket;
  };
  const silent = await open();
  const busy = await open();
  const requested = once(server, 'request');
  busy.write('GET / HTTP/1.1\r\nHost: lab.example\r\n\r\n');
  const [, response] = await requested;
  closeSilent();
  silent.resume();
  await once(silent, 'close');
  response.end('done');
  const [answer] = await once(busy, 'data');
  assert.match(String(answer), /^HTTP\/1\.1 200/);
  busy.destroy();
  server.close();
});
