/** Starts and kills the fake as a process. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { toRecord } from './values.ts';

const ENTRY = fileURLToPath(new URL('./main.ts', import.meta.url));

export interface FakeProcess {
  readonly child: ChildProcess;
  kill(): Promise<void>;
}

export interface FakeAddress {
  readonly url: string;
  /** What a payer does at Stripe. Throws while the fake is down. */
  readonly askControl: (question: string) => Promise<Readonly<Record<string, unknown>>>;
  readonly start: () => Promise<FakeProcess>;
}

/** An address that stays while the fake behind it comes and goes; its books are in the file. */
export async function fakeAddress(path: string): Promise<FakeAddress> {
  const [port, controlPort] = [await findFreePort(), await findFreePort()];
  return {
    url: `http://127.0.0.1:${port}`,
    async askControl(question) {
      const answer = await fetch(`http://127.0.0.1:${controlPort}/${question}`, {
        signal: AbortSignal.timeout(30_000),
      });
      return toRecord(await answer.json());
    },
    async start() {
      const args = [ENTRY, String(port), String(controlPort), path];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      const lines = createInterface({ input: child.stdout });
      await Promise.race([
        new Promise<void>((resolve) => lines.once('line', () => resolve())),
        gone.then(() => Promise.reject(new Error('the fake ended before it was ready'))),
      ]);
      return {
        child,
        async kill() {
          child.kill('SIGKILL');
          await gone;
        },
      };
    },
  };
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
