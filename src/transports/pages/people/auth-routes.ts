/** The few routes of the sign-in library that browsers and programs may call; all others answer 404. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MCP_PATH, normalizeResource } from '#features/people/programs/rules.ts';
import { parseJson } from '../../bodies/json-reader.ts';
import type { PagesParts } from '#ui/parts.ts';
import { getOrigin } from '#ui/session.ts';
import type { Routes } from '#ui/routes.ts';

/** Limit of passkey assertions and token requests, which anybody may send. */
const LIBRARY_BYTES_MAX = 32 * 1024;

const PASSED_ON = [
  'accept',
  'authorization',
  'content-type',
  'cookie',
  'origin',
  'referer',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'user-agent',
];

/** An unreadable credential is the client's fault; the library reports it as an internal error. */
const UNVERIFIED = /"code":"FAILED_TO_VERIFY_REGISTRATION"/;

export function addAuthRoutes(routes: Routes, parts: PagesParts): void {
  routes.add({
    method: ['GET', 'POST'],
    url: '/auth/*',
    bodyLimit: LIBRARY_BYTES_MAX,
    handler: async (request, reply) => {
      refuseUnreadableJson(request);
      const answer = await parts.people.handle(toWebRequest(parts, request), getOrigin(request));
      if (answer === undefined) return reply.callNotFound();
      return passOn(reply, answer);
    },
  });
}

/** The library parses the body itself and looks up rows by its values, so invalid text is rejected first. */
function refuseUnreadableJson({ method, body, headers }: FastifyRequest): void {
  const isJson = /^application\/(?:[\w.+-]+\+)?json\b/i.test(headers['content-type'] ?? '');
  if (method === 'POST' && isJson && typeof body === 'string' && body !== '') parseJson(body);
}

/** The request for the library. */
function toWebRequest(parts: PagesParts, request: FastifyRequest): Request {
  const { body } = request;
  const headers = new Headers();
  for (const name of PASSED_ON) {
    const value = request.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  const hasBody = request.method === 'POST' && typeof body === 'string' && body !== '';
  return new Request(new URL(request.url, parts.work.site.baseUrl), {
    method: request.method,
    headers,
    ...(hasBody ? { body: isForm(request) ? writeForm(body, parts.work.site.baseUrl) : body } : {}),
  });
}

function isForm({ headers }: FastifyRequest): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '');
}

/** A request for tokens is a form; the resource that it names has two spellings. */
function writeForm(body: string, baseUrl: string): string {
  return normalizeResource(new URLSearchParams(body), baseUrl + MCP_PATH).toString();
}

async function passOn(reply: FastifyReply, answer: Response): Promise<FastifyReply> {
  const text = await answer.text();
  reply.code(answer.status === 500 && UNVERIFIED.test(text) ? 400 : answer.status);
  for (const [name, value] of answer.headers) if (name !== 'set-cookie') reply.header(name, value);
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) reply.header('set-cookie', cookies);
  return reply.send(text);
}
