/** A server that speaks just enough of PostgreSQL's protocol, version 3, to refuse a client in a chosen way. */
import { createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { after } from 'node:test';

export interface FakePostgres {
  readonly port: number;
  close(): void;
}

/** Listens until the test file ends; `greet` gets what the client sends first, and every message after it. */
export async function fakePostgres(greet: (socket: Socket, bytes: Buffer) => void): Promise<FakePostgres> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', (bytes: Buffer) => greet(socket, bytes));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  after(close);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { port: address.port, close };
}

function createMessage(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 0, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const encodeInt32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const encodeInt16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
};
const encodeText = (value: string): Buffer => Buffer.from(`${value}\0`);

export const authenticationOk: Buffer = createMessage('R', encodeInt32(0));
export const passwordWanted: Buffer = createMessage('R', encodeInt32(3));
export const readyForQuery: Buffer = createMessage('Z', Buffer.from('I'));

export function createErrorResponse(code: string, sentence: string): Buffer {
  const fields = [`SFATAL`, `VFATAL`, `C${code}`, `M${sentence}`].map(encodeText);
  return createMessage('E', Buffer.concat([...fields, Buffer.from([0])]));
}

/** The whole answer to a question for one value. */
export function createOneValue(column: string, value: string): Buffer {
  const oid = 25;
  const field = [
    encodeText(column),
    encodeInt32(0),
    encodeInt16(0),
    encodeInt32(oid),
    encodeInt16(-1),
    encodeInt32(-1),
    encodeInt16(0),
  ];
  return Buffer.concat([
    createMessage('T', Buffer.concat([encodeInt16(1), ...field])),
    createMessage(
      'D',
      Buffer.concat([encodeInt16(1), encodeInt32(Buffer.byteLength(value)), Buffer.from(value)]),
    ),
    createMessage('C', encodeText('SHOW')),
    readyForQuery,
  ]);
}
