/** Questions to a service over HTTP, and what is read from its JSON. */
const ASK_WITHIN_MS = 60_000;

export interface Door {
  readonly url: string;
  readonly token: string;
}

/** Whatever JSON came, to be walked by names. */
export interface Json {
  readonly [key: string]: Json;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json;
}

export async function ask(
  { url, token }: Door,
  method: string,
  path: string,
  body?: object,
): Promise<Answered> {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    redirect: 'manual',
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(ASK_WITHIN_MS),
  });
  const text = Buffer.from(await answer.arrayBuffer()).toString('latin1');
  const isJson = answer.headers.get('content-type')?.includes('json') ?? false;
  const readable = isJson ? Buffer.from(text, 'latin1').toString('utf8') : text;
  return {
    status: answer.status,
    headers: answer.headers,
    text: readable,
    json: parseJson(readable, isJson),
  };
}

function parseJson(text: string, isJson: boolean): Json {
  const value: unknown = isJson ? JSON.parse(text) : {};
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}

export function getItems(json: Json): readonly Json[] {
  return Array.isArray(json.items) ? json.items : [];
}

export function getText(json: Json | undefined): string {
  if (typeof json !== 'string') throw new Error(`not a text: ${JSON.stringify(json)}`);
  return json;
}
