/** Documents of the service as they arrive: data packages, quotes, invoices, figures. */
import { CommandError, UnreachableError } from './command-error.ts';
import type { Connection } from './connection.ts';
import { createBrokenError, createNoAnswerError, type HttpAnswer, sendHttp } from './http.ts';
import { formatBytes, Progress } from './progress.ts';
import { readAnswer, sendRequest } from './requests.ts';
import { readAll } from './terminal.ts';

/** The first bytes of a large document may take long. */
const BEGIN_TIMEOUT_MS = 600_000;
const SILENCE_MS_MAX = 60_000;
/** The service makes the document, and says how far it is. */
const ACCEPTED = 202;

export interface OpenedDocument {
  /** The bytes as they arrive. A connection that breaks throws. */
  readonly chunks: AsyncIterable<Uint8Array> | readonly Uint8Array[];
  /** The size in bytes, where the service names it. */
  readonly size: number | undefined;
  /** What was asked for, else what the service calls it. */
  readonly type?: string | undefined;
}

/** The service may answer with a redirect to a signed link, with the document as its body or without. */
export async function openDocument(
  connection: Connection,
  path: string,
  accept = '*/*',
): Promise<OpenedDocument> {
  const silence = createSilenceLimit();
  const headers = { accept };
  const answer = await sendRequest(connection, { method: 'GET', path, headers, signal: silence.signal });
  if (answer.status >= 400) await readAnswer(connection, answer);
  const location = answer.getHeader('location');
  const document = receive(connection, answer, silence);
  const asked = accept === '*/*' ? {} : { type: accept };
  if (location === undefined) return { ...document, ...asked };
  const bytes = await readAll(document.chunks);
  if (bytes.length > 0) return { ...document, chunks: [bytes], size: bytes.length, ...asked };
  return { ...(await openLinked(connection, new URL(location, connection.url))), ...asked };
}

async function openLinked(connection: Connection, link: URL): Promise<OpenedDocument> {
  const progress = new Progress({ label: 'The service makes the document', unit: 'results' });
  try {
    for (;;) {
      const silence = createSilenceLimit();
      const headers = { prefer: 'respond-async, wait=2' };
      const { signal } = silence;
      const answer = await sendHttp(link, { method: 'GET', headers, signal }).catch((error: unknown) => {
        throw createNoAnswerError({ url: link.origin }, error, BEGIN_TIMEOUT_MS);
      });
      if (answer.status === ACCEPTED) {
        const state = await readAnswer(connection, answer);
        silence.stop();
        progress.report(findNumber(state, 'results_done'), findNumber(state, 'results_total'));
      } else if (answer.isDone) return receive(connection, answer, silence);
      else if (answer.getHeader('content-type')?.includes('json') === true)
        await readAnswer(connection, answer);
      else throw new CommandError(`The document could not be fetched (${answer.status}); try again.`);
    }
  } finally {
    progress.clear();
  }
}

function receive(connection: Connection, answer: HttpAnswer, silence: SilenceLimit): OpenedDocument {
  const type = answer.getHeader('content-type');
  // What stands between, such as a page to sign in or to wait.
  if (/^text\/html\b/i.test(type ?? ''))
    throw new UnreachableError(
      `${connection.url} sent a web page in place of the document. Try again later; if it stays so, check the address.`,
    );
  const length = Number(answer.getHeader('content-length') ?? Number.NaN);
  const size = Number.isSafeInteger(length) ? length : undefined;
  return { chunks: readChunks(connection, answer, silence), size, type };
}

async function* readChunks(
  connection: Connection,
  { body }: HttpAnswer,
  silence: SilenceLimit,
): AsyncGenerator<Uint8Array> {
  let received = 0;
  try {
    silence.extend();
    for await (const chunk of body) {
      silence.extend();
      received += chunk.length;
      yield chunk;
    }
  } catch (error) {
    throw createBrokenError(connection, error, formatBytes(received));
  } finally {
    silence.stop();
  }
}

interface SilenceLimit {
  readonly signal: AbortSignal;
  /** Allows so much silence from now on. */
  extend(): void;
  stop(): void;
}

/** Gives up a connection that brings nothing for long, however long the whole takes. */
function createSilenceLimit(): SilenceLimit {
  const controller = new AbortController();
  const stop = (): void => controller.abort(new DOMException('nothing came', 'TimeoutError'));
  let timer = setTimeout(stop, BEGIN_TIMEOUT_MS).unref();
  return {
    signal: controller.signal,
    extend: () => {
      clearTimeout(timer);
      timer = setTimeout(stop, SILENCE_MS_MAX).unref();
    },
    stop: () => clearTimeout(timer),
  };
}

function findNumber(body: unknown, key: string): number {
  const value: unknown = Object.entries(Object(body)).find(([name]) => name === key)?.[1];
  return typeof value === 'number' ? value : 0;
}
