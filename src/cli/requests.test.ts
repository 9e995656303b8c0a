/** Uploads and answers over a socket: what the service gets, and what becomes of a body that it does not want. */
import assert from 'node:assert/strict';
import { Blob } from 'node:buffer';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { after, describe, it, test } from 'node:test';
import { createApi, type Api } from './api.ts';
import { RefusedError } from './command-error.ts';
import type { HttpAnswer } from './http.ts';
import { readAnswer } from './requests.ts';
import { runInTerminal } from './terminal.ts';

async function serve(listener: RequestListener): Promise<Api> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port } = server.address() as AddressInfo;
  return createApi({ url: `http://127.0.0.1:${port}`, token: 'asy_test_x' });
}

const LARGE = Buffer.alloc(40_000_000, 'x');

describe('uploads', () => {
  it('send: a file → its bytes with their length, also after the first connection broke, under one key', async () => {
    const received: unknown[] = [];
    const keys: unknown[] = [];
    const api = await serve((request, response) => {
      keys.push(request.headers['idempotency-key']);
      if (keys.length === 1) {
        request.once('data', () => request.socket.destroy());
        return;
      }
      const pieces: Uint8Array[] = [];
      request.on('data', (piece: Uint8Array) => pieces.push(piece));
      request.on('end', () => {
        const isSame = Buffer.concat(pieces).equals(LARGE);
        received.push([request.method, request.headers['content-length'], isSame]);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"done":true}');
      });
    });
    assert.deepEqual(await api.send('PUT', '/files/plate.frd', new Blob([LARGE])), { done: true });
    assert.deepEqual(received, [['PUT', String(LARGE.length), true]]);
    assert.equal(new Set(keys).size, 1);
  });

  it('send: the service refuses before it has read the file → the refusal, and not a broken connection', async () => {
    const api = await serve((request, response) => {
      const refusal = { error: 'The run takes no files.', code: 'raw_file_refused' };
      response.writeHead(422, { 'content-type': 'application/json' }).end(JSON.stringify(refusal));
      request.resume();
    });
    await assert.rejects(api.send('PUT', '/files/plate.frd', new Blob([LARGE])), (error: unknown) => {
      assert.ok(error instanceof RefusedError, String(error));
      return error.refusal.code === 'raw_file_refused';
    });
  });

  it('send: a terminal → the line of progress is gone at the end; none → nothing is written', async () => {
    const api = await serve((request, response) => {
      request.on('end', () => response.end('{}')).resume();
    });
    for (const columns of [80, undefined]) {
      const stderr = Object.assign(new PassThrough().setEncoding('utf8'), {
        isTTY: columns !== undefined,
        columns: 80,
      });
      const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr };
      await runInTerminal({ ...streams, environment: {} }, () =>
        api.send('PUT', '/files/plate.frd', new Blob([LARGE])),
      );
      const written = String(stderr.read() ?? '');
      if (columns === undefined) assert.equal(written, '');
      else assert.ok(written === '' || written.endsWith('\r\u001B[2K'), written);
    }
  });
});

test('answers: none but its status → it is let go, so that the process can end', async () => {
  let discards = 0;
  const answer: HttpAnswer = {
    status: 204,
    isDone: true,
    body: Readable.from([]),
    getHeader: () => undefined,
    readText: () => Promise.resolve(''),
    discard: () => (discards += 1),
  };
  assert.equal(await readAnswer({ url: 'http://127.0.0.1', token: 'asy_test_x' }, answer), undefined);
  assert.equal(discards, 1);
});
