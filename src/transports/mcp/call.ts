/** Calls the operation of a tool, and turns its answer or failure into a tool result. */
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import type { Logger } from 'pino';
import type { Site } from '#core/context.ts';
import { fail, type Failure } from '#core/failures.ts';
import type { Principal } from '#core/principal.ts';
import { isRecord } from '#core/records.ts';
import { computeBodyLimits } from '../bodies/shape.ts';
import { writeBrandedText, type Branding } from '../branding.ts';
import type { Reply } from '#core/reply.ts';
import type { Call, Dispatcher } from '../dispatch.ts';
import { toFailure, buildPublicBody } from '../rest/errors.ts';
import { API_PREFIX } from '../rest/server.ts';
import type { AnyInput } from '#features/binding.ts';
import { readArguments, splitArguments } from './arguments.ts';
import { logFailure } from '../log.ts';
import { buildReceipts, readCredentials, requestPayment } from './payments.ts';
import type { OperationTool } from './tools.ts';

export interface CallParts {
  readonly site: Site;
  readonly dispatcher: Dispatcher;
  readonly branding: Branding;
  readonly log: Logger;
}

/** One HTTP request with its principal. */
export interface Caller extends Pick<Call, 'requestId' | 'watchClient'> {
  readonly principal: Principal;
  readonly address: string | null;
  /** Bytes of the whole message. */
  readonly bodyLength: number;
  /** Whether the message is of the earlier version of the protocol. */
  readonly isLegacy: boolean;
}

/** The arguments of a call, and what stands beside them. */
interface Given {
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly meta: Readonly<Record<string, unknown>>;
}

export async function callTool(
  parts: CallParts,
  caller: Caller,
  tool: OperationTool,
  sent: Given,
): Promise<CallToolResult> {
  const { binding } = tool;
  let notes: readonly string[] = [];
  try {
    refuseTooLarge(parts.site, caller, tool);
    const { shape } = computeBodyLimits(binding.operation, parts.site.limits);
    const read = await readArguments(tool, sent.arguments, shape);
    notes = read.notes;
    const split = splitArguments(tool, read.args);
    const input = addCredentials(tool, split.input, sent.meta);
    const { idempotencyKey, problems } = split;
    const reply = await parts.dispatcher.call({ ...caller, binding, input, idempotencyKey, problems });
    const result = createResult(parts, tool, input.params, reply);
    const receipts = buildReceipts(reply.headers, input.headers['payment-authorization']);
    logCall(parts.log, caller, tool, null);
    return withNotes(receipts === undefined ? result : { ...result, _meta: receipts }, notes);
  } catch (error) {
    const failure = toFailure(error);
    logCall(parts.log, caller, tool, failure);
    return withNotes(createFailedResult(failure, caller), notes);
  }
}

function withNotes(result: CallToolResult, notes: readonly string[]): CallToolResult {
  return { ...result, content: [...result.content, ...notes.map(createTextBlock)] };
}

/** An argument wins over the same credential in `_meta`. */
function addCredentials({ binding }: OperationTool, input: AnyInput, meta: Given['meta']): AnyInput {
  const sentHeaders = Object.entries(input.headers).filter(([, value]) => value !== undefined);
  const headers = { ...readCredentials(binding.operation, meta), ...Object.fromEntries(sentHeaders) };
  return { ...input, headers };
}

/** Upper limit of the bytes around the arguments in a message. */
const ENVELOPE_BYTES = 4_096;

/** The message was read before its tool was known, so the tool's own limit is checked here. */
function refuseTooLarge({ limits }: Site, { bodyLength }: Caller, { binding }: OperationTool): void {
  const { bytesMax } = computeBodyLimits(binding.operation, limits);
  if (bodyLength > bytesMax + ENVELOPE_BYTES) throw fail('body_too_large', { limit: `${bytesMax} bytes` });
}

/** Has text only: clients check structured content against the schema of the success. */
function createFailedResult(failure: Failure, { requestId, isLegacy }: Caller): CallToolResult {
  const body = buildPublicBody(failure, requestId);
  const paymentRequest = requestPayment(failure, body, { hasErrorCode: isLegacy });
  if (paymentRequest === undefined)
    return { content: [createTextBlock(JSON.stringify(body))], isError: true };
  const structuredContent = { ...body, ...paymentRequest.structured };
  return {
    content: [createTextBlock(JSON.stringify(structuredContent))],
    structuredContent,
    isError: true,
    ...(paymentRequest.meta === undefined ? {} : { _meta: paymentRequest.meta }),
  };
}

function createResult(
  parts: CallParts,
  tool: OperationTool,
  params: Readonly<Record<string, unknown>>,
  { status, headers, body }: Reply,
): CallToolResult {
  const { location } = headers;
  // A document in the answer would fill the context of a model; its address needs no token.
  if (location !== undefined)
    return { content: [createTextBlock(JSON.stringify({ location }))], structuredContent: { location } };
  if (typeof body === 'string' || body instanceof Uint8Array) {
    return {
      content: [createDocumentBlock(formatAddress(parts.site, tool, params), getMedia(headers), body)],
    };
  }
  if (body === null || body === undefined) return { content: [createTextBlock('Done.')] };
  const text = writeBrandedText(body, parts.branding);
  if (status >= 400) return { content: [createTextBlock(text)], isError: true };
  const value: unknown = JSON.parse(text);
  return {
    content: [createTextBlock(text)],
    ...(isRecord(value) ? { structuredContent: value } : {}),
  };
}

function createTextBlock(text: string): ContentBlock {
  return { type: 'text', text };
}

/** Images and documents have their media type and address; tables are plain text. */
function createDocumentBlock(uri: string, mimeType: string, body: string | Uint8Array): ContentBlock {
  if (typeof body !== 'string') {
    return { type: 'resource', resource: { uri, mimeType, blob: Buffer.from(body).toString('base64') } };
  }
  if (!mimeType.startsWith('image/')) return createTextBlock(body);
  return { type: 'resource', resource: { uri, mimeType, text: body } };
}

function getMedia(headers: Reply['headers']): string {
  const [media = ''] = (headers['content-type'] ?? 'text/plain').split(';');
  return media.trim();
}

/** Formats the REST address of the same document. */
function formatAddress(
  site: Site,
  { binding }: OperationTool,
  params: Readonly<Record<string, unknown>>,
): string {
  const path = binding.operation.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  return `${site.baseUrl}${API_PREFIX}${path}`;
}

function logCall(log: Logger, caller: Caller, { tool }: OperationTool, failure: Failure | null): void {
  const entry = { request_id: caller.requestId, tool: tool.name };
  if (failure === null) return log.debug(entry, 'tool call');
  logFailure(log, entry, failure);
}
