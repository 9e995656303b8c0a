/**
 * The smallest client that can be trusted: one keep-alive connection, one request at a time, answers framed by
 * Content-Length. Anything else is a wrong answer.
 */
import { connect, type Socket } from 'node:net';

const HEADERS_END = '\r\n\r\n';

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

export interface Target {
  readonly port: number;
  readonly token: string;
}

export function encodeRequest(method: string, path: string, target: Target, body?: string): Buffer {
  const content =
    body === undefined
      ? []
      : ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`];
  const head = [
    `${method} ${path} HTTP/1.1`,
    `host: 127.0.0.1:${target.port}`,
    `authorization: Bearer ${target.token}`,
    ...content,
  ];
  return Buffer.from(head.join('\r\n') + HEADERS_END + (body ?? ''));
}

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

export class Connection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #waiting: Waiting | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the server closed the connection')));
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port }, () => {
        socket.off('error', reject);
        resolve(new Connection(socket));
      });
      socket.once('error', reject);
    });
  }

  send(request: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const end = this.#received.indexOf(HEADERS_END);
    if (end < 0) return;
    const head = this.#received.toString('latin1', 0, end);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(length)) {
      this.#fail(new Error(`an answer without Content-Length: ${head}`));
      return;
    }
    const total = end + HEADERS_END.length + length;
    if (this.#received.length < total) return;
    const body = this.#received.subarray(end + HEADERS_END.length, total);
    this.#received = this.#received.subarray(total);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve({ status: Number(head.slice(9, 12)), body });
  }
}

/** Throws on anything but the expected status and, where given, the expected bytes. */
export function requireAnswer(answer: Answer, status: number, body?: Buffer): void {
  if (answer.status !== status) {
    throw new Error(`wrong answer: ${answer.status} instead of ${status}: ${answer.body.toString('utf8')}`);
  }
  if (body !== undefined && !body.equals(answer.body)) {
    throw new Error(`wrong answer: ${answer.body.toString('utf8').slice(0, 2_000)}`);
  }
}
