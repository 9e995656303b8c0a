/** Two thousand streams of updates on one process: what an idle one costs, and how soon an event reaches them all. */

import { connect, type Socket } from 'node:net';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceArgument, ServiceReady } from './peers/service.ts';
import type { BenchOptions } from './run.ts';
import { openBenchDatabase } from './support/database.ts';
import type { Report } from './support/report.ts';
import { startServer } from './support/server-process.ts';
import { computeMedian, takeQuantile } from './support/statistics.ts';

const STREAMS = 2_000;
const WARM_UP = 20;
const ROUNDS = 12;
const OPEN_AT_ONCE = 50;
const SETTLE_MS = 3_000;
const EVENT_LIMIT_MS = 30_000;

/** Sockets that wait for a text. */
class Audience {
  readonly #sockets: Socket[] = [];
  #expected = '';
  #missing = 0;
  #done: () => void = () => undefined;

  async open(port: number, token: string, count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.#openOne(port, token)));
  }

  #openOne(port: number, token: string): Promise<void> {
    const socket = connect({ host: '127.0.0.1', port });
    this.#sockets.push(socket);
    const request = `GET /api/v1/updates/stream HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n\r\n`;
    socket.write(request);
    socket.setEncoding('latin1');
    return new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('the service closed a stream')));
      let isOpen = false;
      let hasIt = '';
      socket.on('data', (text: string) => {
        if (!isOpen) {
          isOpen = true;
          if (text.startsWith('HTTP/1.1 200')) resolve();
          else reject(new Error(text.slice(0, 500)));
        }
        if (hasIt !== this.#expected && text.includes(this.#expected)) {
          hasIt = this.#expected;
          this.#missing -= 1;
          if (this.#missing === 0) this.#done();
        }
      });
    });
  }

  /** Resolves when each stream has brought the text. */
  expect(text: string): Promise<void> {
    this.#expected = text;
    this.#missing = this.#sockets.length;
    return new Promise((resolve, reject) => {
      const limit = setTimeout(
        () => reject(new Error(`${this.#missing} streams did not bring the event`)),
        EVENT_LIMIT_MS,
      );
      this.#done = () => {
        clearTimeout(limit);
        resolve();
      };
    });
  }

  close(): void {
    for (const socket of this.#sockets) socket.removeAllListeners('close').destroy();
  }
}

/** Resident memory of a process in kB. */
function readResidentKb(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Found {
  /** Milliseconds from the creation to the last stream, for each event. */
  readonly times: readonly number[];
  readonly perStreamKb: number;
  readonly uncollectedKb: number;
  /** Seconds of the processor per second. */
  readonly idleCpu: number;
}

function reportStreams({ times, perStreamKb, uncollectedKb, idleCpu }: Found): Report {
  return {
    title: 'Streams of updates',
    conditions: [`${STREAMS} streams of one organization on one process`, `${ROUNDS} events`],
    findings: [
      {
        what: 'an event reaches every stream, slowest round',
        value: takeQuantile(times, 1),
        unit: 'ms',
        limit: { atMost: 2_000 },
      },
      { what: 'an event reaches every stream, median', value: computeMedian(times), unit: 'ms' },
      {
        what: 'memory of an idle stream, after garbage was collected',
        value: perStreamKb,
        unit: 'kB',
        limit: { atMost: 40 },
      },
      { what: 'the same with the garbage of opening it', value: uncollectedKb, unit: 'kB' },
      { what: 'processor time while idle', value: idleCpu * 1_000, unit: 'ms/s' },
    ],
  };
}

export async function run({ profileInto }: BenchOptions): Promise<Report[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'assayer-bench-stream-'));
  const database = await openBenchDatabase();
  const variables = { MAX_CONNECTIONS_PER_ADDRESS: String(2 * STREAMS) };
  const argument: ServiceArgument = { connection: database.connection, dataDir, variables };
  const service = await startServer<ServiceReady>('service', argument, { profileInto });
  const audience = new Audience();
  try {
    const { port, token, baseUrl } = service.ready;
    const create = async (name: string): Promise<void> => {
      const spec = { experiment_type: 'expression', sequences: { a: 'MKTAYIAKQR' } };
      const answer = await fetch(`${baseUrl}/api/v1/experiments`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name, experiment_spec: spec }),
      });
      const body: unknown = await answer.json();
      if (answer.status !== 201) throw new Error(JSON.stringify(body));
    };
    // What the first streams load is not what a stream costs.
    for (let n = 0; n < WARM_UP; n += 1) await create('warm');
    await audience.open(port, token, OPEN_AT_ONCE);
    await pause(SETTLE_MS);
    // Otherwise the figure is how much rubbish 2,000 requests leave, which goes at the next collection.
    await service.collectGarbage();
    const beforeKb = readResidentKb(service.pid);
    for (let open = OPEN_AT_ONCE; open < STREAMS; open += OPEN_AT_ONCE)
      await audience.open(port, token, OPEN_AT_ONCE);
    await pause(SETTLE_MS);
    const readPerStreamKb = (): number => (readResidentKb(service.pid) - beforeKb) / (STREAMS - OPEN_AT_ONCE);
    const uncollectedKb = readPerStreamKb();
    await service.collectGarbage();
    const perStreamKb = readPerStreamKb();
    const cpuBefore = await service.readCpuSeconds();
    await pause(SETTLE_MS);
    const idleCpu = ((await service.readCpuSeconds()) - cpuBefore) / (SETTLE_MS / 1_000);
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const arrived = audience.expect(`DEMO-001-${String(WARM_UP + round + 1).padStart(3, '0')}`);
      const begun = performance.now();
      await create(`round ${round}`);
      await arrived;
      times.push(performance.now() - begun);
    }
    return [reportStreams({ times, perStreamKb, uncollectedKb, idleCpu })];
  } finally {
    audience.close();
    await service.stop();
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
