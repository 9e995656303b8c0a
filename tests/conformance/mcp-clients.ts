/** The real clients of the tool protocol, over a service that really listens. */
import { after } from 'node:test';
import {
  Client,
  StreamableHTTPClientTransport,
  type JsonSchemaValidator,
} from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { AjvJsonSchemaValidator as OldValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Json, TestService } from '#testing/service.ts';
import { QUICKLY_COMPILED } from '#testing/validators.ts';

export const clientKinds = ['newest', 'default', 'old'] as const;
export type ClientKind = (typeof clientKinds)[number];

export interface ToolAnswer {
  readonly isError: boolean;
  /** The JSON of the text block; empty where the text is none. */
  readonly body: Json;
  readonly text: string;
  readonly structured: Json | undefined;
  readonly blocks: Json;
}

export interface ToolClient {
  readonly listTools: () => Promise<readonly Json[]>;
  readonly call: (name: string, args?: Readonly<Record<string, unknown>>) => Promise<ToolAnswer>;
  readonly listResources: () => Promise<readonly unknown[]>;
  readonly getVersion: () => string | undefined;
  readonly getInstructions: () => string | undefined;
  readonly close: () => Promise<void>;
}

/** Listens on a free port until the test file ends, and gives the address. */
export async function listen({ service }: TestService): Promise<string> {
  const address = await service.app.listen({ host: '127.0.0.1', port: 0 });
  service.setBaseUrl(address);
  return address;
}

/** The clients give an answer up after a minute, which a crowd of them may need on a busy machine. */
const PATIENT = { timeout: 900_000 } as const;

const identity = { name: 'assayer-tests', version: '1.0.0' };

/** A call without a client and a socket, for tests that send thousands and are not about either. */
export async function callWithoutClient(
  { service }: TestService,
  token: string,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<ToolAnswer> {
  const answer = await service.app.inject({
    method: 'POST',
    url: '/mcp/',
    headers: {
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-11-25',
    },
    payload: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args },
    }),
  });
  const message: { readonly result?: RawResult } = JSON.parse(answer.body);
  if (message.result === undefined) throw new Error(`${name}: ${answer.statusCode} ${answer.body}`);
  return toToolAnswer(message.result);
}

/** `newest` asks for 2026-07-28 and falls back, `default` is the same package untouched, `old` knows 2025-11-25 only. */
export async function connect(
  kind: ClientKind,
  address: string,
  token: string,
  path = '/mcp/',
): Promise<ToolClient> {
  const url = new URL(path, address);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const client =
    kind === 'old' ? await connectOld(url, requestInit) : await connectNew(kind, url, requestInit);
  after(() => client.close());
  return client;
}

/** What the clients choose by themselves, except that a validator is compiled quickly. */
const VALIDATION = { strict: false, validateFormats: true, allErrors: true, ...QUICKLY_COMPILED } as const;

async function connectNew(kind: ClientKind, url: URL, requestInit: RequestInit): Promise<ToolClient> {
  const client = new Client(identity, kind === 'newest' ? createNewestOptions() : {});
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }), PATIENT);
  return {
    listTools: async () => asJson((await client.listTools(undefined, PATIENT)).tools),
    call: async (name, given = {}) =>
      toToolAnswer(await client.callTool({ name, arguments: { ...given } }, PATIENT)),
    listResources: async () => (await client.listResources(undefined, PATIENT)).resources,
    getVersion: () => client.getNegotiatedProtocolVersion(),
    getInstructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}

/** A client asks for the validators of all tools of its list; this one compiles those whose answers come. */
class LateValidator extends AjvJsonSchemaValidator {
  override getValidator<T>(
    ...given: Parameters<AjvJsonSchemaValidator['getValidator']>
  ): JsonSchemaValidator<T> {
    let compiled: JsonSchemaValidator<T> | undefined;
    return (input) => (compiled ??= super.getValidator<T>(...given))(input);
  }
}

function createNewestOptions() {
  const ajv = new Ajv2020(VALIDATION);
  addFormats.default(ajv);
  return {
    versionNegotiation: { mode: 'auto' as const },
    jsonSchemaValidator: new LateValidator(ajv),
  };
}

async function connectOld(url: URL, requestInit: RequestInit): Promise<ToolClient> {
  const ajv = new Ajv(VALIDATION);
  addFormats.default(ajv);
  const client = new OldClient(identity, { jsonSchemaValidator: new OldValidator(ajv) });
  const transport = new OldTransport(url, { requestInit });
  await client.connect(transport, PATIENT);
  return {
    listTools: async () => asJson((await client.listTools(undefined, PATIENT)).tools),
    call: async (name, given = {}) =>
      toToolAnswer(await client.callTool({ name, arguments: { ...given } }, undefined, PATIENT)),
    listResources: async () => (await client.listResources(undefined, PATIENT)).resources,
    getVersion: () => transport.protocolVersion,
    getInstructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}

function asJson(value: unknown): readonly Json[] {
  return JSON.parse(JSON.stringify(value));
}

interface RawResult {
  readonly [key: string]: unknown;
  readonly isError?: unknown;
  readonly content?: unknown;
  readonly structuredContent?: unknown;
}

function toToolAnswer(result: RawResult): ToolAnswer {
  const [blocks = {}] = asJson([result.content ?? []]);
  const text = Array.isArray(blocks) ? getBlockText(blocks[0]) : '';
  return {
    isError: result.isError === true,
    body: parseJson(text),
    text,
    structured: result.structuredContent === undefined ? undefined : asJson([result.structuredContent])[0],
    blocks,
  };
}

function getBlockText(block: unknown): string {
  if (typeof block !== 'object' || block === null || !('text' in block)) return '';
  return typeof block.text === 'string' ? block.text : '';
}

/** A text that is no JSON is an empty object. */
export function parseJson(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
