/** Many sockets at once that each promise a large body, send nearly all of it and then stand still. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { openRaw, pour, formatRequest, type RawAnswer, type RawConnection } from './raw-http.ts';

const MEBIBYTE = 1024 * 1024;
const DECLARED_BYTES = 15 * MEBIBYTE;
const PART = 'x'.repeat(256 * 1024);

export interface Flood {
  /** Sent in turn: the first line of the request and its headers, without those of the body. */
  readonly requests: readonly { readonly line: string; readonly headers: readonly string[] }[];
  readonly sockets: number;
}

export interface Standing {
  /** What the answered ones were told; a reset may take the answer of one who still wrote. */
  readonly answers: readonly RawAnswer[];
  /** Those that still stand, and are sent away when this is called. */
  readonly standing: number;
  readonly end: () => void;
}

/** Resolves when every socket is either closed or has sent all it ever will. */
export async function floodPort(port: number, { requests, sockets }: Flood): Promise<Standing> {
  const answers: RawAnswer[] = [];
  const open = new Set<RawConnection>();
  const senders = Array.from({ length: sockets }, async (_, index) => {
    const request = requests[index % requests.length];
    if (request === undefined) return;
    const connection = openRaw(port);
    open.add(connection);
    const isClosed = connection.closed.then((answer) => {
      open.delete(connection);
      return answers.push(answer);
    });
    const body = ['Content-Type: application/json', `Content-Length: ${DECLARED_BYTES}`];
    connection.socket.write(formatRequest(request.line, [...request.headers, ...body], '["'));
    await pour(connection, PART, DECLARED_BYTES - PART.length);
    const drained = connection.socket.writableLength === 0 ? undefined : once(connection.socket, 'drain');
    await Promise.race([isClosed, drained ?? isClosed]);
  });
  await Promise.race([Promise.all(senders), waitForStillness(open)]);
  return {
    answers,
    standing: open.size,
    end: () => {
      for (const { socket } of open) socket.destroy();
    },
  };
}

const STILL_MS = 3_000;
const POLL_MS = 100;

/** Nothing was sent or closed for some seconds. */
async function waitForStillness(open: ReadonlySet<RawConnection>): Promise<void> {
  let [known, since] = ['', performance.now()];
  while (performance.now() - since < STILL_MS) {
    await new Promise((resolve) => void setTimeout(resolve, POLL_MS));
    const sent = [...open].reduce((sum, { socket }) => sum + socket.bytesWritten - socket.writableLength, 0);
    const seen = `${open.size} ${sent}`;
    if (seen !== known) [known, since] = [seen, performance.now()];
  }
}

/** The most memory that a process ever had resident, in megabytes (`VmHWM` of Linux). */
export function readPeakMegabytes(pid: number | undefined): number {
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(peak) / 1024;
}
