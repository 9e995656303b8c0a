/** The updates of one experiment from its beginning, as they happen, whatever becomes of single connections. */
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '#core/clock.ts';
import type { Static } from '#core/schema.ts';
import type { UpdateItem } from '#features/updates/contract.ts';
import type { Api } from './api.ts';
import { isPassing } from './command-error.ts';
import { toPlainText } from './terminal.ts';
import { formatStatus } from './words.ts';

export type Update = Static<typeof UpdateItem>;

const RETRY_MS = 500;
const TROUBLE_MAX_MS = 120_000;
/** The service says something every 15 s. */
const SILENCE_MS_MAX = 45_000;
/** Before the first update of every experiment. */
const BEGINNING = '00000000-0000-0000-0000-000000000000';

const readNowMs = (): number => systemClock.readMonotonicMs();

export class UpdateStream {
  readonly #api: Api;
  readonly #path: string;
  readonly #onTrouble: () => void;
  readonly #stop = new AbortController();
  readonly #arrived: Update[] = [];
  #last = BEGINNING;
  #answeredMs = readNowMs();
  #failure: unknown;

  constructor(api: Api, code: string, onTrouble: () => void) {
    this.#api = api;
    this.#path = `/updates/stream?experiment_id=${encodeURIComponent(code)}`;
    this.#onTrouble = onTrouble;
    void this.#follow();
  }

  /** Waits until something has arrived, at most `limitMs`. Throws when the service refuses, or is gone for long. */
  async take(limitMs: number): Promise<readonly Update[]> {
    if (this.#arrived.length === 0) await wait(limitMs);
    if (this.#failure !== undefined) throw this.#failure;
    return this.#arrived.splice(0);
  }

  /** Reads what is there and was not taken. */
  async readRest(): Promise<readonly Update[]> {
    this.stop();
    await this.#read(`${this.#path}&follow=false`, AbortSignal.timeout(SILENCE_MS_MAX));
    return this.#arrived.splice(0);
  }

  /** Repeats a request while the service is away. */
  async repeat<Answer>(request: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      try {
        return await request();
      } catch (error) {
        if (!this.#isPassing(error)) throw error;
        this.#onTrouble();
        await wait(RETRY_MS);
      }
    }
  }

  stop(): void {
    this.#stop.abort();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#read(this.#path, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (!this.#isPassing(error)) {
          this.#failure = error;
          return;
        }
        this.#onTrouble();
      }
      await wait(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Reads one connection to its end. A silent one is given up. */
  async #read(path: string, signal: AbortSignal): Promise<void> {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), SILENCE_MS_MAX);
    try {
      const either = AbortSignal.any([signal, silence.signal]);
      const body = await this.#api.stream(path, { 'last-event-id': this.#last }, either);
      for await (const { id, data } of readEvents(body)) {
        timer.refresh();
        this.#answeredMs = readNowMs();
        // A connection that was given up may still bring what it had received.
        if (data !== null && id > this.#last) this.#arrived.push(JSON.parse(data));
        if (id !== '') this.#last = id;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #isPassing(error: unknown): boolean {
    return readNowMs() - this.#answeredMs <= TROUBLE_MAX_MS && isPassing(error);
  }
}

/** What an update says, and more of it where it says more. */
export function describeUpdate({ name, description, status }: Update): string[] {
  const detail = description ?? (status ? formatStatus(status) : '');
  return [toPlainText(name), toPlainText(detail)].filter((text) => text !== '');
}

/** Server-sent events (HTML standard, §9.2), as far as this service sends them. */

interface StreamedEvent {
  readonly id: string;
  /** Null for an event that only says where the stream is. */
  readonly data: string | null;
}

/** Reads events until the answer ends; an event is a block of lines, and each line a field. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamedEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) yield readBlock(block);
  }
}

function readBlock(block: string): StreamedEvent {
  let id = '';
  let data: string | null = null;
  for (const line of block.split('\n')) {
    if (line.startsWith('id:')) id = line.slice(3).trimStart();
    if (line.startsWith('data:')) data = line.slice(5).trimStart();
  }
  return { id, data };
}
