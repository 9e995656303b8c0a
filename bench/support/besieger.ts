/** Sends requests over several connections, each again as soon as it was answered, and tells the status of each answer. */
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

interface Siege {
  readonly port: number;
  readonly requests: readonly Uint8Array[];
  readonly connections: number;
  readonly forMs: number;
}

const { port, requests, connections, forMs }: Siege = workerData;
/** One who is told to come back later does not come back at once. */
const PAUSE_MS = 100;
const until = performance.now() + forMs;

/** The status of the answer; 0 where the connection ended without one. */
function sendOnce(request: Uint8Array): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    let head = '';
    socket.on('data', (chunk: Buffer) => (head += chunk.toString('latin1')));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0)));
    socket.write(request);
  });
}

const senders = Array.from({ length: connections }, async (_, index) => {
  const request = requests[index % requests.length];
  if (request === undefined) return;
  while (performance.now() < until) {
    const status = await sendOnce(request);
    parentPort?.postMessage(status);
    if (status === 429 || status === 503) await setTimeout(PAUSE_MS);
  }
});
await Promise.all(senders);
