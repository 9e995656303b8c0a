/** HTTP details of pages: headers, forms and their allowed origins. */
import { isUtf8 } from 'node:buffer';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createInvalidFieldsFailure, fail } from '#core/failures.ts';
import { findLineProblem } from '#core/one-line.ts';

/** Limit of forms that anybody may send. */
export const PUBLIC_FORM_BYTES_MAX = 16 * 1024;
/** Limit of forms that signed-in people fill in by hand. */
export const FORM_BYTES_MAX = 64 * 1024;
/** Limit of the form of an order with its files of designs, and of the sequences in its text. */
export const ORDER_FORM_BYTES_MAX = 8 * 1024 * 1024;
/** Limit of the form of a target request, into which a structure file is pasted. The API takes larger ones. */
export const STRUCTURE_FORM_BYTES_MAX = 2 * 1024 * 1024;
/** No page has this many fields; each costs memory beyond its bytes. */
const FORM_FIELDS_MAX = 200;

/** The end of a name is kept, which says the format. */
const FILE_NAME_LENGTH_MAX = 100;

const PAGE_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex, nofollow',
} as const;

/** For the few pages with a script: only our own script may run, and it may call only us. */
export function allowOwnScript(reply: FastifyReply): void {
  const policy = PAGE_HEADERS['content-security-policy'];
  reply.header('content-security-policy', `${policy}; script-src 'self'; connect-src 'self'`);
}

export function setPageHeaders(reply: FastifyReply): void {
  reply.headers(PAGE_HEADERS);
}

/** For a form whose answer redirects to another site: browsers apply the policy to redirects, too. */
export function allowFormTarget(reply: FastifyReply, origin: string): void {
  const policy = PAGE_HEADERS['content-security-policy'];
  reply.header(
    'content-security-policy',
    policy.replace("form-action 'self'", `form-action 'self' ${origin}`),
  );
}

export function sendPage(reply: FastifyReply, text: string, status = 200): FastifyReply {
  return reply.code(status).header('content-type', 'text/html; charset=utf-8').send(text);
}

export const PLAIN_TEXT = 'text/plain; charset=utf-8';
export const CSV_TEXT = 'text/csv; charset=utf-8';
export const JSON_TEXT = 'application/json; charset=utf-8';

interface Attachment {
  /** Characters that a file name or a header would trip over become `_`. */
  readonly fileName: string;
  readonly contentType: string;
  readonly content: string | Uint8Array;
}

/** Sends a file that the browser stores. */
export function sendAttachment(
  reply: FastifyReply,
  { fileName, contentType, content }: Attachment,
): FastifyReply {
  const safeName = fileName.replaceAll(/[^\w.-]/g, '_').slice(-FILE_NAME_LENGTH_MAX);
  return reply
    .headers({ 'content-type': contentType, 'content-disposition': `attachment; filename="${safeName}"` })
    .send(content);
}

/** Redirects after a form: the reader sees the new state, and a reload sends nothing again. */
export function redirectAfterForm(reply: FastifyReply, location: string): FastifyReply {
  return reply.code(303).header('location', location).send();
}

/** A HEAD is answered like a GET, without the body. */
export function isReading({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

export type Form = Readonly<Record<string, string>>;

/** Reads the fields of a submitted form; the last of repeated fields counts. */
export function readForm(request: FastifyRequest): Form {
  const { body } = request;
  return typeof body === 'string' ? parseForm(request.headers['content-type'] ?? '', body) : {};
}

/** Parses the body of a form of fields alone. */
export function parseForm(type: string, body: string): Form {
  if (body === '') return {};
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) {
    throw fail('invalid_request', { reason: 'a form is expected.' });
  }
  refuseUnreadableForm(body);
  return Object.fromEntries(new URLSearchParams(body));
}

/** Rejects forms that no browser sends: reading them would take long, or would replace characters. */
function refuseUnreadableForm(body: string): void {
  if (body.split('&', FORM_FIELDS_MAX + 1).length > FORM_FIELDS_MAX)
    throw fail('invalid_request', { reason: `the form has more than ${FORM_FIELDS_MAX} fields.` });
  if (!/%[89a-f]/i.test(body)) return;
  const bytes = Buffer.from(body)
    .toString('latin1')
    .replaceAll(/%([0-9a-f]{2})/gi, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  if (!isUtf8(Buffer.from(bytes, 'latin1')))
    throw fail('invalid_request', { reason: 'the form is not encoded as UTF-8.' });
}

export function getField(form: Form, name: string): string {
  return (form[name] ?? '').trim();
}

/** Returns the beginning of a field, cut between characters. */
function getShortField(form: Form, name: string, lengthMax: number): string {
  const text = getField(form, name).slice(0, lengthMax);
  return text.isWellFormed() ? text : text.slice(0, -1);
}

/** Returns the beginning of a field for a name; throws `invalid_request` where it holds a character that nobody sees. */
export function getNameField(form: Form, name: string, lengthMax: number): string {
  const text = getShortField(form, name, lengthMax);
  const message = findLineProblem(text);
  if (message !== undefined) throw createInvalidFieldsFailure([{ path: name, message }]);
  return text;
}

/** Looks up the sentence for a client's value; inherited names such as `toString` are not found. */
export function findSentence(sentences: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(sentences, name) ? sentences[name] : undefined;
}

/**
 * Rejects a form from another site. Our pages send no referrer, so browsers send `Origin: null` with their forms and
 * that value proves nothing; the token in the form protects the session.
 */
export function refuseForeignForm(request: FastifyRequest, baseUrl: string): void {
  const site = request.headers['sec-fetch-site'];
  const { origin } = request.headers;
  const isForeign =
    site === undefined
      ? origin !== undefined && origin !== 'null' && !isOwnOrigin(origin, request, baseUrl)
      : site !== 'same-origin' && site !== 'none';
  if (isForeign) throw fail('invalid_request', { reason: 'the form was sent from another site.' });
}

function isOwnOrigin(origin: string, request: FastifyRequest, baseUrl: string): boolean {
  if (!URL.canParse(origin)) return false;
  return origin === new URL(baseUrl).origin || new URL(origin).host === request.headers.host;
}

/** Returns a parameter of the route; a missing one is empty, which every rule rejects. */
export function getPathParameter(request: FastifyRequest, name: string): string {
  return getText(request.params, name);
}

/** A parameter of the query; a repeated one counts as missing. */
export function queryParameter(request: FastifyRequest, name: string): string {
  return getText(request.query, name);
}

/** The values of a parameter that may be repeated, or list them with commas. */
export function queryList(request: FastifyRequest, name: string): string[] {
  const { query } = request;
  if (typeof query !== 'object' || query === null) return [];
  const value: unknown = Object.entries(query).find(([key]) => key === name)?.[1];
  const texts = (Array.isArray(value) ? value : [value]).filter((text) => typeof text === 'string');
  return texts.flatMap((text) => text.split(',')).filter((text) => text !== '');
}

function getText(record: unknown, name: string): string {
  if (typeof record !== 'object' || record === null) return '';
  const value: unknown = Object.entries(record).find(([key]) => key === name)?.[1];
  return typeof value === 'string' ? value : '';
}
