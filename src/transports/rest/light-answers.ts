/**
 * Answers travel light: an answer that a client may store carries a tag (RFC 9110 §8.8.3), so that asking for it again
 * costs 304 and no body; text is compressed for clients that accept it. Streams pass unchanged.
 * docs/decisions/light-answers.md says what is compressed, and why no answer to a cookie is.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer is one of a few texts without secrets, so its compressed forms are kept. */
    isPublished?: boolean;
  }
}

export type Encoding = 'br' | 'gzip';

/** A shorter text fits in one packet as it is. */
const COMPRESSED_BYTES_MIN = 1_024;
/** Each answer is compressed for one request: the level where a byte saved costs least. */
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 5;
/** A published text is compressed once. */
const PUBLISHED_BROTLI_QUALITY = 9;
const PUBLISHED_GZIP_LEVEL = 9;

const TEXT_MEDIA =
  /^(?:text\/(?!event-stream)|application\/(?:[\w.-]+\+)?(?:json|xml)\b|application\/javascript\b|image\/svg\+xml\b)/i;

const compressBrotli = promisify<Buffer, object, Buffer>(brotliCompress);
const compressGzip = promisify<Buffer, object, Buffer>(gzip);

type Bytes = string | Uint8Array;

export function addLightAnswers(app: FastifyInstance): void {
  const published = new PublishedTexts();
  app.addHook('onSend', async (request, reply, payload: unknown) => {
    if (typeof payload !== 'string' && !(payload instanceof Uint8Array)) return payload;
    if (isStorable(request, reply)) {
      const tag = computeTag(payload);
      reply.header('etag', tag);
      if (hasTag(request.headers['if-none-match'], tag)) {
        if (isCompressible(request, reply, payload)) addVary(reply, 'accept-encoding');
        reply.code(304).removeHeader('content-type').removeHeader('content-length');
        return createEmptyBody(request);
      }
    }
    return isCompressible(request, reply, payload)
      ? encodePayload(published, request, reply, payload)
      : payload;
  });
}

/** A HEAD gets an empty stream: Fastify would say that the body which the client holds is 0 bytes long. */
function createEmptyBody({ method }: FastifyRequest): Readable | null {
  return method === 'HEAD' ? Readable.from([]) : null;
}

/** An answer that nobody may store needs no tag. */
function isStorable({ method }: FastifyRequest, reply: FastifyReply): boolean {
  const control = String(reply.getHeader('cache-control') ?? 'no-store');
  return (method === 'GET' || method === 'HEAD') && reply.statusCode === 200 && !control.includes('no-store');
}

/** Weak, because the compressed forms of a text share its tag. */
function computeTag(payload: Bytes): string {
  return `W/"${createHash('sha256').update(payload).digest('base64url').slice(0, 22)}"`;
}

/** Compares as RFC 9110 §13.1.2 demands: weakly, with each tag of the list, and `*` with any. */
export function hasTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const opaque = tag.replace(/^W\//, '');
  return header.trim() === '*' || [...header.matchAll(/"[^"]*"/g)].some(([found]) => found === opaque);
}

function isCompressible(request: FastifyRequest, reply: FastifyReply, payload: Bytes): boolean {
  const type = String(reply.getHeader('content-type') ?? '');
  if (!TEXT_MEDIA.test(type) || reply.hasHeader('content-encoding')) return false;
  if (Buffer.byteLength(payload) < COMPRESSED_BYTES_MIN) return false;
  // The length of a compressed page tells an attacker who can make a browser ask for it what stands in it (BREACH).
  return request.headers.cookie === undefined || request.servedRoute?.config.isPublished === true;
}

async function encodePayload(
  published: PublishedTexts,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: Bytes,
): Promise<Bytes> {
  addVary(reply, 'accept-encoding');
  const encoding = chooseEncoding(request.headers['accept-encoding']);
  if (encoding === undefined) return payload;
  const isPublished = request.servedRoute?.config.isPublished === true && typeof payload === 'string';
  const compressed = isPublished
    ? await published.encode(payload, encoding)
    : await encodeOnce(payload, encoding, { brotli: BROTLI_QUALITY, gzip: GZIP_LEVEL });
  reply.header('content-encoding', encoding).removeHeader('content-length');
  return compressed;
}

/** Returns the best encoding that the client accepts, or undefined where it accepts neither (RFC 9110 §12.5.3). */
export function chooseEncoding(accepted: string | undefined): Encoding | undefined {
  const weights = new Map(
    (accepted ?? '').split(',').map((item) => {
      const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
      return [name === 'x-gzip' ? 'gzip' : name, Number(weight)] as const;
    }),
  );
  const getWeight = (name: string): number => weights.get(name) ?? weights.get('*') ?? 0;
  const [brotli, zipped] = [getWeight('br'), getWeight('gzip')];
  if (brotli > 0 && brotli >= zipped) return 'br';
  return zipped > 0 ? 'gzip' : undefined;
}

function encodeOnce(
  payload: Bytes,
  encoding: Encoding,
  level: { readonly brotli: number; readonly gzip: number },
): Promise<Buffer> {
  const bytes = Buffer.from(payload);
  if (encoding === 'gzip') return compressGzip(bytes, { level: level.gzip });
  const params = {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_QUALITY]: level.brotli,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return compressBrotli(bytes, { params });
}

/** The compressed forms of published texts, which are as many as there are assets and audiences. */
class PublishedTexts {
  readonly #forms = new Map<string, Map<Encoding, Promise<Buffer>>>();

  encode(text: string, encoding: Encoding): Promise<Buffer> {
    const forms = this.#forms.get(text) ?? new Map<Encoding, Promise<Buffer>>();
    this.#forms.set(text, forms);
    const level = { brotli: PUBLISHED_BROTLI_QUALITY, gzip: PUBLISHED_GZIP_LEVEL };
    const form = forms.get(encoding) ?? encodeOnce(text, encoding, level);
    forms.set(encoding, form);
    return form;
  }
}

function addVary(reply: FastifyReply, name: string): void {
  const vary = reply.getHeader('vary');
  reply.header('vary', vary === undefined ? name : `${String(vary)}, ${name}`);
}
