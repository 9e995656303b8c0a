import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { openRaw } from '#testing/raw-http.ts';
import { testService } from '#testing/service.ts';

const service = await testService();

test(
  'shutdown: a request is under way on a kept-alive connection → answered, and the connection is closed',
  { timeout: 90_000 },
  async () => {
    const ending = await service.openAnother();
    const address = new URL(await ending.app.listen({ host: '127.0.0.1', port: 0 }));
    const { socket, closed } = openRaw(Number(address.port));
    const requested = once(ending.app.server, 'request');
    socket.write(
      `GET /api/v1/info/health-db HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${service.token}\r\n\r\n`,
    );
    await requested;
    await ending.close();
    const { status, text } = await closed;
    assert.equal(status, 200);
    assert.match(text, /^connection: close\r$/im);
  },
);
