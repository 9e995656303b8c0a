/**
 * Reads request bodies after the sender is known, within limits that apply while the bytes arrive.
 * This folder: how bodies of requests are read, within limits. Not here: what they mean.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '#core/failures.ts';
import { continueRequest } from './continue.ts';
import type { BodyBudget, BodyLease } from './budget.ts';
import { JsonReader } from './json-reader.ts';
import type { BodyLimits } from './shape.ts';
import { createTooLargeFailure } from '#core/size.ts';
import type { Turns } from './turns.ts';
import { requireUtf8 } from './utf8.ts';

export interface JsonBody {
  readonly value: unknown;
  /** True when the body is only white space. */
  readonly isEmpty: boolean;
  readonly bytes: number;
}

export interface Bodies {
  /** Registers the reply that ends the request. */
  begin(request: FastifyRequest, reply: FastifyReply): void;
  /** Sets the owner of the body; before that, the body counts for its network address alone. */
  setOwner(request: FastifyRequest, tokenRoot: string): void;
  readJson(request: FastifyRequest, limits: BodyLimits): Promise<JsonBody>;
  readText(request: FastifyRequest, bytesMax: number): Promise<string>;
  /** Reads a body of any content, such as a form with files. */
  readBytes(request: FastifyRequest, bytesMax: number): Promise<Buffer>;
  /** Runs the work of a request. Its body counts until the work ends, even when the client has left before. */
  carryOut<Result>(request: FastifyRequest, work: () => Promise<Result>): Promise<Result>;
}

/** A body reaches its reader in blocks of this size, whatever the size of its chunks. */
const BLOCK_BYTES = 64 * 1024;
const FIRST_BLOCK_BYTES = 1_024;

type TakeBlock = (block: Buffer) => void;

export function createBodies({ budget, turns }: { budget: BodyBudget; turns: Turns }): Bodies {
  const owners = new WeakMap<FastifyRequest, string>();
  const replies = new WeakMap<FastifyRequest, FastifyReply>();
  const leases = new WeakMap<FastifyRequest, BodyLease>();
  const working = new WeakSet<FastifyRequest>();

  async function read(request: FastifyRequest, bytesMax: number, takeBlock: TakeBlock): Promise<number> {
    refuseEncoding(request);
    const declared = Number(request.headers['content-length'] ?? 0);
    if (declared > bytesMax) throw createTooLargeFailure(bytesMax);
    const lease = budget.open({ address: request.ip, tokenRoot: owners.get(request) ?? null }, declared);
    leases.set(request, lease);
    // Values made from the bytes stay in memory until the reply and the work are finished, so the bytes count until
    // then.
    const release = (): void => {
      if (!working.has(request)) lease.release();
    };
    replies.get(request)?.raw.once('close', release).once('finish', release);
    try {
      continueRequest(request.raw);
      const blocks = new Blocks(declared, takeBlock, turns);
      let arrived = 0;
      for await (const chunk of readChunks(request.raw)) {
        arrived += chunk.length;
        if (arrived > bytesMax) throw createTooLargeFailure(bytesMax);
        lease.grow(arrived);
        await blocks.add(chunk);
      }
      refuseOtherLength(request, arrived);
      await blocks.flush();
      return arrived;
    } catch (error) {
      lease.release();
      throw error;
    }
  }

  async function readBytes(request: FastifyRequest, bytesMax: number): Promise<Buffer> {
    const blocks: Buffer[] = [];
    await read(request, bytesMax, (block) => void blocks.push(Buffer.from(block)));
    return Buffer.concat(blocks);
  }

  return {
    begin: (request, reply) => void replies.set(request, reply),
    async carryOut(request, work) {
      working.add(request);
      try {
        return await work();
      } finally {
        working.delete(request);
        const raw = replies.get(request)?.raw;
        if (raw === undefined || raw.destroyed || raw.writableFinished) leases.get(request)?.release();
      }
    },
    setOwner: (request, tokenRoot) => void owners.set(request, tokenRoot),
    async readJson(request, { bytesMax, shape }) {
      const reader = new JsonReader(shape);
      const bytes = await read(request, bytesMax, (block) => reader.write(block));
      const { isEmpty } = reader;
      return { value: isEmpty ? undefined : reader.finish(), isEmpty, bytes };
    },
    readBytes,
    async readText(request, bytesMax) {
      const whole = await readBytes(request, bytesMax);
      requireUtf8(whole, 0);
      return whole.toString('utf8');
    },
  };
}

/** Joins small chunks, because each chunk on its own needs far more memory than its bytes. */
class Blocks {
  readonly #takeBlock: TakeBlock;
  readonly #turns: Turns;
  #block: Buffer;
  #filled = 0;

  constructor(declared: number, takeBlock: TakeBlock, turns: Turns) {
    this.#takeBlock = takeBlock;
    this.#turns = turns;
    this.#block = Buffer.allocUnsafeSlow(Math.min(FIRST_BLOCK_BYTES, Math.max(declared, 1)));
  }

  async add(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length;) {
      if (this.#filled === this.#block.length) await this.#makeRoom();
      const length = Math.min(chunk.length - at, this.#block.length - this.#filled);
      this.#block.set(chunk.subarray(at, at + length), this.#filled);
      this.#filled += length;
      at += length;
    }
  }

  async flush(): Promise<void> {
    if (this.#filled === 0) return;
    const turn = this.#turns.take(this.#filled);
    if (turn !== undefined) await turn;
    this.#takeBlock(this.#block.subarray(0, this.#filled));
    this.#filled = 0;
  }

  async #makeRoom(): Promise<void> {
    if (this.#block.length >= BLOCK_BYTES) return this.flush();
    const larger = Buffer.allocUnsafeSlow(Math.min(BLOCK_BYTES, this.#block.length * 4));
    this.#block.copy(larger, 0, 0, this.#filled);
    this.#block = larger;
  }
}

/**
 * Yields the bytes of the body as they arrive. Throws `upload_broken_off` when the connection ends before the last.
 */
export async function* readChunks(raw: IncomingMessage): AsyncGenerator<Uint8Array> {
  // A destroyed stream would close its connection, and the answer would be lost.
  const chunks = raw.iterator({ destroyOnReturn: false });
  for (;;) {
    const next = await chunks.next().catch((error: unknown) => {
      throw fail('upload_broken_off', {}, { cause: error });
    });
    if (next.done === true) return;
    const chunk: unknown = next.value;
    if (!(chunk instanceof Uint8Array)) throw new TypeError('a request without an encoding comes in bytes');
    yield chunk;
  }
}

/**
 * Bytes in a content encoding would be stored or parsed as if they were plain. Throws `content_encoding_not_served`.
 */
export function refuseEncoding(request: FastifyRequest): void {
  const encoding = request.headers['content-encoding'];
  if (encoding === undefined || /^identity$/i.test(encoding.trim())) return;
  const shown = /^[\w, -]{1,40}$/.test(encoding) ? encoding : 'of that name';
  throw fail('content_encoding_not_served', { encoding: shown }, { headers: { connection: 'close' } });
}

function refuseOtherLength(request: FastifyRequest, arrived: number): void {
  const declared = request.headers['content-length'];
  if (declared === undefined || Number(declared) === arrived) return;
  throw fail('invalid_request', { reason: 'Content-Length does not match the body.' });
}
