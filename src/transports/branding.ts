/** The lab's own names on the wire, applied only where requests enter and answers leave. */
import { fail } from '#core/failures.ts';
import { RawJson } from '#core/reply.ts';

export interface Branding {
  /** `X-Service` unless the lab sets its own; requests may always use both. */
  readonly headerPrefix: string;
  /** With `acme`, an answer has an `acme_x` member beside every `provider_x`. */
  readonly providerAlias: string | null;
}

export const CANONICAL_PREFIX = 'X-Service';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Reads a contract header such as `payment-method` by either name. Throws where both are sent and differ. */
export function readBrandHeader(headers: Headers, branding: Branding, name: string): string | undefined {
  const title = name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
  return readEitherHeader(headers, [`${branding.headerPrefix}-${title}`, `${CANONICAL_PREFIX}-${title}`]);
}

/**
 * Reads a header that has two names. Throws `invalid_request` where a request has both with different values: whichever
 * was taken, the other would be ignored in silence.
 */
export function readEitherHeader(
  headers: Headers,
  [first, second]: readonly [string, string],
): string | undefined {
  const [value, other] = [findHeader(headers, first), findHeader(headers, second)];
  if (value !== undefined && other !== undefined && value !== other)
    throw fail('invalid_request', {
      reason: `the headers ${first} and ${second} are two names of one header, and their values differ; send one of them.`,
    });
  return value ?? other;
}

function findHeader(headers: Headers, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  return Array.isArray(value) ? value[0] : value;
}

/** Returns the headers that may carry a token. */
export function getCredentials(headers: Headers & { readonly authorization?: string }, branding: Branding) {
  return {
    authorization: headers.authorization,
    apiKey: readBrandHeader(headers, branding, 'api-key'),
    apiKeyHeader: getApiKeyHeader(branding),
  };
}

/** The header for the token of a caller whose `Authorization` carries a payment. */
export function getApiKeyHeader({ headerPrefix }: Branding): string {
  return `${headerPrefix}-Api-Key`;
}

const PROVIDER = 'provider_';
/** Fields whose keys are names and data of a client, which are answered as they were given. */
const CLIENTS_OWN: ReadonlySet<string> = new Set([
  'sequences',
  'parameters',
  'metadata',
  'json_body',
  'performance',
  'comparison',
]);

/** The text of a body as it is sent. */
export function writeBrandedText(body: unknown, branding: Branding): string {
  if (branding.providerAlias === null) return body instanceof RawJson ? body.text : JSON.stringify(body);
  const value: unknown = body instanceof RawJson ? JSON.parse(body.text) : body;
  return JSON.stringify(withAliases(value, `${branding.providerAlias}_`));
}

function withAliases(value: unknown, prefix: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withAliases(item, prefix));
  if (typeof value !== 'object' || value === null) return value;
  const aliased = Object.entries(value).flatMap(([key, item]) => {
    const inner = CLIENTS_OWN.has(key) ? item : withAliases(item, prefix);
    const entry = [key, inner] as const;
    return key.startsWith(PROVIDER)
      ? [entry, [prefix + key.slice(PROVIDER.length), inner] as const]
      : [entry];
  });
  return Object.fromEntries(aliased);
}

/** A text about the contract headers, with the lab's own prefix. */
export function writeBrandedHeaders(text: string, { headerPrefix }: Branding): string {
  return text
    .replaceAll(`${CANONICAL_PREFIX}-`, `${headerPrefix}-`)
    .replaceAll(`${CANONICAL_PREFIX}-`.toLowerCase(), `${headerPrefix}-`.toLowerCase());
}

/** The description of the API as clients of the lab see it: its names on headers, its aliases beside fields. */
export function writeBrandedDocument(text: string, branding: Branding): string {
  const named = writeBrandedHeaders(text, branding);
  if (branding.providerAlias === null) return named;
  const prefix = `${branding.providerAlias}_`;
  const addAliases = (key: string, value: unknown): unknown =>
    key === 'required' && Array.isArray(value) ? value.flatMap((name) => addAlias(name, prefix)) : value;
  const document: unknown = JSON.parse(named, addAliases);
  return `${JSON.stringify(withAliases(document, prefix))}\n`;
}

function addAlias(name: unknown, prefix: string): unknown[] {
  const isAliased = typeof name === 'string' && name.startsWith(PROVIDER);
  return isAliased ? [name, prefix + name.slice(PROVIDER.length)] : [name];
}
