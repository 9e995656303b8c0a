/** Answers requests for data packages: the kept file, whole or in parts, or how far it is. */
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail, Failure } from '#core/failures.ts';
import type { Scope } from '#core/scope.ts';
import {
  awaitPackage,
  type PackageTools,
  type PackageFile,
} from '#features/results/package/await-package.ts';
import { watchClient } from '#ui/client-signal.ts';
import { selectBytes, type FileFacts, type Slice } from './byte-range.ts';
import type { WaitingPlaces } from './waiting-places.ts';
import type { ServerResponse } from 'node:http';

interface ReadingPace {
  readonly windowMs: number;
  /** What a reader takes at least in each window for which bytes wait for it. */
  readonly bytesMin: number;
}

/** Slower than any network that people work over, and quick enough to free a place within two minutes. */
const PACE: ReadingPace = { windowMs: 60_000, bytesMin: 256 * 1024 };

/**
 * Destroys the answer when its client takes hardly any bytes, because an open archive keeps one of few places. Time in
 * which no bytes wait for the client is the service's own, such as while a report is drawn.
 */
export function cutSlowReader(raw: ServerResponse, { windowMs, bytesMin }: ReadingPace = PACE): void {
  let before = { hasWaiting: false, takenBytes: 0 };
  const timer = setInterval(() => {
    const now = { hasWaiting: raw.writableLength > 0, takenBytes: countTakenBytes(raw) };
    const isSlow = now.takenBytes - before.takenBytes < bytesMin;
    if (before.hasWaiting && now.hasWaiting && isSlow) raw.destroy();
    before = now;
  }, windowMs).unref();
  raw.once('close', () => clearInterval(timer));
}

function countTakenBytes({ socket }: ServerResponse): number {
  return socket === null ? 0 : socket.bytesWritten - socket.writableLength;
}

/** Proxies and most programs give up an answer that has not begun after a minute. */
const WAIT_MS_MAX = 50_000;

export interface WantedPackage {
  readonly scope: Scope;
  /** Whose place a waiting request takes. */
  readonly owner: string;
  readonly experimentId: string;
}

/** The caller has checked the link. */
export async function sendPackage(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: { readonly places: WaitingPlaces; readonly tools: PackageTools },
  { scope, owner, experimentId }: WantedPackage,
): Promise<FastifyReply> {
  const { limitMs, isAsync } = readPreferences(request);
  try {
    const wait = { limitMs, signal: watchClient(reply), takePlace: () => parts.places.take(owner) };
    return sendFile(request, reply, await awaitPackage(parts.tools, scope, experimentId, wait));
  } catch (error) {
    if (!isAsync || !(error instanceof Failure) || error.code !== 'data_package_not_ready') throw error;
    return reply
      .code(202)
      .headers({ ...error.headers, 'cache-control': 'no-store', 'preference-applied': 'respond-async' })
      .send({ status: 'being_made', ...error.extra });
  }
}

/** How long the client wants to wait, and whether it takes "not yet" as an answer (RFC 7240, sections 4.1 and 4.3). */
function readPreferences({ headers: { prefer = '' } }: FastifyRequest) {
  const text = Array.isArray(prefer) ? prefer.join(',') : prefer;
  const isAsync = /(?:^|,)\s*respond-async\s*(?:$|[,;])/i.test(text);
  const waitS = /(?:^|,)\s*wait\s*=\s*"?(\d{1,6})"?\s*(?:$|[,;])/i.exec(text)?.[1];
  const usualMs = isAsync ? 0 : WAIT_MS_MAX;
  return { isAsync, limitMs: waitS === undefined ? usualMs : Math.min(WAIT_MS_MAX, 1_000 * Number(waitS)) };
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: PackageFile): FastifyReply {
  const facts: FileFacts = {
    etag: `"${file.sha256}"`,
    modifiedAt: file.releasedAt,
    sizeBytes: file.sizeBytes,
  };
  const selection = selectBytes(request, facts);
  const { status } = selection;
  if (status === 412) throw fail('precondition_failed');
  if (status === 416) {
    const { sizeBytes } = facts;
    throw fail(
      'range_not_satisfiable',
      { size_bytes: sizeBytes },
      { headers: { 'content-range': `bytes */${sizeBytes}` } },
    );
  }
  reply.headers({
    'accept-ranges': 'bytes',
    etag: facts.etag,
    'last-modified': facts.modifiedAt.toUTCString(),
    'cache-control': 'private, no-cache',
  });
  if (status === 304) return reply.code(304).send();
  const slice = status === 206 ? selection.slice : { first: 0, last: facts.sizeBytes - 1 };
  if (status === 206) reply.header('content-range', `bytes ${slice.first}-${slice.last}/${facts.sizeBytes}`);
  reply
    .code(status)
    .header('content-type', 'application/zip')
    .header('content-disposition', `attachment; filename="${file.fileName}"`)
    .header('content-length', slice.last - slice.first + 1);
  // An empty stream: Fastify would say that the file is 0 bytes long.
  if (request.method === 'HEAD') return reply.send(Readable.from([]));
  cutSlowReader(reply.raw);
  return reply.send(openSlice(file.path, slice));
}

function openSlice(path: string, { first, last }: Slice): Readable {
  return createReadStream(path, { start: first, end: last });
}
