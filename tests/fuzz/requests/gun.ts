/** Sends a request into the service, and measures how long the event loop was held meanwhile. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import type { Answer, Shot } from './shot.ts';

const ANSWER_WAIT_MS = 30_000;

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'] as const;

/** Undefined: no answer came. */
export async function sendShot(app: FastifyInstance, shot: Shot): Promise<Answer | undefined> {
  const { url, headers, body, remoteAddress } = shot;
  const method = METHODS.find((known) => known === shot.method) ?? 'GET';
  const before = performance.now();
  // The types of the library know no TRACE; what it sends it sends all the same.
  const named = { method: method === 'TRACE' ? 'GET' : method, url, remoteAddress, headers: { ...headers } };
  const options = method === 'TRACE' ? Object.assign(named, { method: 'TRACE' }) : named;
  const pending = app.inject({ ...options, ...(body === null ? {} : { payload: body }) });
  const late = createTimeLimit(ANSWER_WAIT_MS);
  const answer = await Promise.race([pending, late.promise]);
  late.stop();
  if (answer === undefined) return undefined;
  const text = unpackText(answer.rawPayload, answer.headers['content-encoding']);
  const known = Object.entries(answer.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  return createAnswer(
    answer.statusCode,
    Object.fromEntries(known),
    answer.rawPayload,
    text,
    performance.now() - before,
  );
}

/** The text as a client reads it that accepts compressed answers. */
function unpackText(bytes: Buffer, encoding: unknown): string {
  if (encoding === 'br') return brotliDecompressSync(bytes).toString();
  return (encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString();
}

export function createAnswer(
  status: number,
  headers: Readonly<Record<string, string | undefined>>,
  bytes: Buffer,
  text: string,
  wallMs: number,
): Answer {
  const isJson = /^application\/(?:[\w.+-]+\+)?json\b/.test(headers['content-type'] ?? '');
  return { status, headers, bytes, text, json: isJson ? parseOrUndefined(text) : undefined, wallMs };
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function createTimeLimit(ms: number): { readonly promise: Promise<undefined>; readonly stop: () => void } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  return { promise, stop: () => clearTimeout(timer) };
}

/**
 * How long the event loop was held. On a machine with other work a pause may be the machine's; the processor time that
 * this thread used says how much of it was ours.
 */
export class LoopWatch {
  readonly #histogram = monitorEventLoopDelay({ resolution: 10 });
  #cpuBefore = process.threadCpuUsage();

  start(): void {
    this.#histogram.enable();
    this.#histogram.reset();
    this.#cpuBefore = process.threadCpuUsage();
  }

  /** The longest pause since `start`, as far as this thread was at work; in milliseconds. */
  getHeldMs(): number {
    const { user, system } = process.threadCpuUsage(this.#cpuBefore);
    const pauseMs = this.#histogram.max / 1e6;
    return Math.min(pauseMs, (user + system) / 1e3);
  }

  stop(): void {
    this.#histogram.disable();
  }
}
