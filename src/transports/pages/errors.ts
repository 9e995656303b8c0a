/** Error pages: the problem, one thing to do, and the request id. */
import { findFormPage } from '#ui/next.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Failure, FailureCode } from '#core/failures.ts';
import { logFailure } from '../log.ts';
import { buildErrorBody as apiBody, toFailure } from '../rest/errors.ts';
import { isReading, sendPage, setPageHeaders } from '#ui/http.ts';
import { renderPage, type Frame } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import type { PagesParts } from '#ui/parts.ts';
import { writeSentence } from '#ui/screen.ts';

const TITLES: Readonly<Record<number, string>> = {
  400: 'That did not work',
  403: 'Not allowed',
  404: 'Nothing here',
  409: 'Not possible now',
  422: 'That did not work',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Back in a moment',
};

export function sendErrorPage(
  parts: PagesParts,
  frame: Frame,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): FastifyReply {
  const failure = toFailure(error, request);
  logFailure(parts.log, { request_id: request.id }, failure);
  setPageHeaders(reply);
  reply.headers(failure.headers);
  const title = TITLES[failure.status] ?? 'That did not work';
  const body = renderErrorBody(title, failure, request, frame.isBare === true);
  return sendPage(reply, renderPage(frame, { title, body, width: 'narrow' }), failure.status);
}

/** The error fields of the API, and those that OAuth clients expect (RFC 6749 §5.2). */
export function sendErrorToProgram(
  parts: PagesParts,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): FastifyReply {
  const failure = toFailure(error, request);
  logFailure(parts.log, { request_id: request.id }, failure);
  const body = {
    ...apiBody(failure, request.id),
    error: failure.status < 500 ? 'invalid_request' : 'server_error',
    error_description: failure.message,
  };
  return reply
    .code(failure.status)
    .headers(failure.headers)
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(body));
}

function renderErrorBody(title: string, failure: Failure, request: FastifyRequest, isBare: boolean): Markup {
  const problems = failure.problems.filter(({ message }) => !failure.message.includes(message));
  return markup`<article class="card error" aria-labelledby="error">
<p class="over">${failure.status}</p>
<h1 id="error">${title}</h1>
<p class="lead">${writeErrorSentence(failure, isBare)}</p>
${problems.length > 0 && markup`<ul>${problems.map(({ path, message }) => markup`<li><code>${path}</code> ${message}</li>`)}</ul>`}
${renderNextStep(failure, request, isBare)}
<p class="hint">Request <code>${request.id}</code></p>
</article>`;
}

function writeErrorSentence(failure: Failure, isBare: boolean): string {
  if (failure.code === 'invoice_not_found' && isBare) {
    return 'There is no invoice at this address. Check that the link was copied in full, or ask the sender for a new one.';
  }
  if (failure.code === 'route_not_found') return 'There is no page at this address.';
  return writeSentence(failure);
}

const RETRY: ReadonlySet<FailureCode> = new Set([
  'database_unavailable',
  'disk_full',
  'overloaded',
  'shutting_down',
  'internal_error',
  'rate_limited',
]);

function renderNextStep(failure: Failure, request: FastifyRequest, isBare: boolean): Markup | null {
  const back = findFormPage(request.url);
  if (RETRY.has(failure.code) && isReading(request)) {
    return markup`<p><a class="button" href="${request.url}">Try again</a></p>`;
  }
  if (!isReading(request) && back !== null) {
    return markup`<p><a class="button" href="${back}">Show the current state</a></p>`;
  }
  return isBare ? null : markup`<p><a class="button" href="/">Go to your experiments</a></p>`;
}
