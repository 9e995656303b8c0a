/** One request of the fuzzer and its answer, and how both are shown so that the request can be repeated by hand. */
import type { Caller } from './callers.ts';

export type Door = 'rest' | 'pages' | 'tools' | 'sockets';

export interface Shot {
  readonly number: number;
  readonly door: Door;
  readonly method: string;
  /** Path and query, as they are sent. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  readonly caller: Caller;
  readonly remoteAddress: string;
  /** What was done to it, in words. */
  readonly story: readonly string[];
  /** What the generator aimed at: an operation, a route, a tool. */
  readonly aim: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Buffer;
  readonly text: string;
  /** Parsed where it says that it is JSON and is; else undefined. */
  readonly json: unknown;
  readonly wallMs: number;
}

const SHOWN_TEXT_MAX = 3_000;

/** Tokens, cookies and other credentials are replaced by what they are called. */
export type Hide = (text: string) => string;

export function describeShot(shot: Shot, hide: Hide): string {
  const { number, door, method, url, headers, body, caller, story } = shot;
  const options = Object.entries(headers).map(
    ([name, value]) => `  -H ${quoteForShell(hide(`${name}: ${value}`))}`,
  );
  const payload = body === null ? [] : [`  --data-binary ${showBody(body, hide)}`];
  const command = [
    `curl -sS -X ${method} --path-as-is "$BASE"${quoteForShell(hide(url))}`,
    ...options,
    ...payload,
  ];
  return [
    `request ${number} at the door ${door}, as ${caller.name}: ${story.join('; ') || 'valid'}`,
    command.join(' \\\n'),
  ].join('\n');
}

function quoteForShell(text: string): string {
  const isPlain = /^[\x20-\x7e]*$/.test(text);
  if (isPlain) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const bytes = [...Buffer.from(text)].map((byte) =>
    byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, '0')}`,
  );
  return `$'${bytes.join('')}'`;
}

function showBody(body: Buffer, hide: Hide): string {
  const text = body.toString('utf8');
  // A credential in a body that is no text stays unshown with the rest of it.
  if (!Buffer.from(text).equals(body)) return `@<(base64 -d <<< ${body.toString('base64')})`;
  const shown = hide(text);
  if (shown.length <= SHOWN_TEXT_MAX) return quoteForShell(shown);
  return `${quoteForShell(shown.slice(0, SHOWN_TEXT_MAX))} # … ${shown.length} characters in all`;
}

export function describeAnswer({ status, headers, text }: Answer, hide: Hide): string {
  const type = headers['content-type'] ?? 'no content type';
  const body = /<main[^>]*>(.*)<\/main>/s.exec(text)?.[1]?.replaceAll(/<[^>]*>|\s+/g, ' ') ?? text;
  return `→ ${status} ${type} ${hide(body).slice(0, 700)}`;
}
