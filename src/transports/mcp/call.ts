/** Calls the operation behind a tool, and gives its answer or its failure the form of a tool result. */
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import type { Logger } from 'pino';
import type { Site } from '#core/context.ts';
import { fail, failureSentence, type Failure } from '#core/failures.ts';
import type { Principal } from '#core/principal.ts';
import { bodyLimits } from '../bodies/shape.ts';
import { brandedText, type Branding } from '../branding.ts';
import type { Dispatcher, Reply } from '../dispatch.ts';
import { errorBody, toFailure } from '../rest/errors.ts';
import { API_PREFIX } from '../rest/server.ts';
import { splitArguments } from './arguments.ts';
import type { OperationTool } from './tools.ts';

export interface CallParts {
  readonly site: Site;
  readonly dispatcher: Dispatcher;
  readonly branding: Branding;
  readonly log: Logger;
}

/** One HTTP request with the principal it was authenticated as. */
export interface Caller {
  readonly principal: Principal;
  readonly requestId: string;
  readonly address: string | null;
  /** Bytes of the whole message. */
  readonly bodyLength: number;
}

const PAYMENT_REQUIRED = 402;
const X402_HEADER = 'payment-required';

export async function callTool(
  parts: CallParts,
  caller: Caller,
  tool: OperationTool,
  given: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> {
  const { binding } = tool;
  try {
    refuseTooLarge(parts.site, caller, tool);
    const { input, idempotencyKey } = splitArguments(tool, given);
    const reply = await parts.dispatcher.call({ ...caller, binding, input, idempotencyKey });
    const result = resultOf(parts, tool, input.params, reply);
    logCall(parts.log, caller, tool, null);
    return result;
  } catch (error) {
    const failure = toFailure(error);
    logCall(parts.log, caller, tool, failure);
    return failedResult(failure, caller.requestId);
  }
}

/** What the protocol writes around the arguments. */
const ENVELOPE_BYTES = 4_096;

/** The message was read before it was known for which tool it is. */
function refuseTooLarge({ limits }: Site, { bodyLength }: Caller, { binding }: OperationTool): void {
  const { bytesMax } = bodyLimits(binding.operation, limits);
  if (bodyLength > bytesMax + ENVELOPE_BYTES) throw fail('body_too_large', { limit: `${bytesMax} bytes` });
}

/** What a client may know of a failure; of a fault of ours, nothing but the request to quote. */
export function publicBody(failure: Failure, requestId: string): Record<string, unknown> {
  const body = errorBody(failure, requestId);
  return failure.code === 'internal_error' ? { ...body, error: 'internal error' } : body;
}

/** Text alone: a client holds structured content against the schema of the success. */
function failedResult(failure: Failure, requestId: string): CallToolResult {
  const body = publicBody(failure, requestId);
  if (failure.status !== PAYMENT_REQUIRED)
    return { content: [textBlock(JSON.stringify(body))], isError: true };
  const challenge = { ...body, headers: failure.headers, ...x402Terms(failure.headers) };
  return { content: [textBlock(JSON.stringify(challenge))], structuredContent: challenge, isError: true };
}

/** A result has no headers, so the terms of payment stand in it; those of x402 decoded, as its clients expect them. */
function x402Terms(headers: Failure['headers']): Readonly<Record<string, unknown>> {
  const encoded = headers[X402_HEADER];
  if (encoded === undefined) return {};
  const terms: unknown = JSON.parse(Buffer.from(encoded, 'base64').toString('utf8'));
  return isRecord(terms) ? terms : {};
}

function resultOf(
  parts: CallParts,
  tool: OperationTool,
  params: Readonly<Record<string, unknown>>,
  { status, headers, body }: Reply,
): CallToolResult {
  if (typeof body === 'string' || body instanceof Uint8Array) {
    return { content: [documentBlock(addressOf(parts.site, tool, params), mediaOf(headers), body)] };
  }
  if (body === null || body === undefined) {
    const { location } = headers;
    if (location === undefined) return { content: [textBlock('Done.')] };
    return { content: [textBlock(JSON.stringify({ location }))], structuredContent: { location } };
  }
  const text = brandedText(body, parts.branding);
  if (status >= 400) return { content: [textBlock(text)], isError: true };
  const value: unknown = JSON.parse(text);
  return {
    content: [textBlock(text)],
    ...(isRecord(value) ? { structuredContent: value } : {}),
  };
}

function textBlock(text: string): ContentBlock {
  return { type: 'text', text };
}

/** A picture or a document travels with its media type and address; a table is text to be read. */
function documentBlock(uri: string, mimeType: string, body: string | Uint8Array): ContentBlock {
  if (typeof body !== 'string') {
    return { type: 'resource', resource: { uri, mimeType, blob: Buffer.from(body).toString('base64') } };
  }
  if (!mimeType.startsWith('image/')) return textBlock(body);
  return { type: 'resource', resource: { uri, mimeType, text: body } };
}

function mediaOf(headers: Reply['headers']): string {
  const [media = ''] = (headers['content-type'] ?? 'text/plain').split(';');
  return media.trim();
}

/** Where the same document stands in the REST interface. */
function addressOf(
  site: Site,
  { binding }: OperationTool,
  params: Readonly<Record<string, unknown>>,
): string {
  const path = binding.operation.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  return `${site.baseUrl}${API_PREFIX}${path}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function logCall(log: Logger, caller: Caller, { tool }: OperationTool, failure: Failure | null): void {
  const entry = { request_id: caller.requestId, tool: tool.name };
  if (failure === null) return log.debug(entry, 'tool call');
  logFailure(log, entry, failure);
}

export function logFailure(log: Logger, entry: Readonly<Record<string, unknown>>, failure: Failure): void {
  const told = { ...entry, code: failure.code, status: failure.status, detail: failure.detail };
  if (failure.status >= 500 && failure.code !== 'payment_rail_not_served')
    log.error(told, failureSentence(failure.code));
  else log.debug(told, failureSentence(failure.code));
}
