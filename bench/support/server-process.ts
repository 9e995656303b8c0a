/** A server of a bench in a process of its own, which tells its address, its CPU time and how long it waited for others. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { watchHolds } from '#testing/thread-holds.ts';

const PEERS = join(import.meta.dirname, '..', 'peers');
const READY_LIMIT_MS = 30_000;

export interface ServerProcess<Ready> {
  readonly ready: Ready;
  readonly pid: number;
  /** CPU time that the process has used so far, in seconds. */
  readCpuSeconds(): Promise<number>;
  /** CPU milliseconds of the longest piece of work since it was asked last, in which it served nobody else. */
  readLongestHoldMs(): Promise<number>;
  /** What its outside has kept it waiting so far, in milliseconds, as far as the server counts that. */
  readOutsideMs(): Promise<number>;
  /** Lets the process free what it no longer uses, which it would do some time later. */
  collectGarbage(): Promise<void>;
  stop(): Promise<void>;
}

interface Usage extends NodeJS.CpuUsage {
  readonly outsideMs: number;
  readonly longestHoldMs: number;
}

/** Starts `bench/peers/<name>.ts` with a JSON argument and waits for its first message. */
export async function startServer<Ready>(
  name: string,
  argument: unknown,
  options: { readonly profileInto?: string | undefined } = {},
): Promise<ServerProcess<Ready>> {
  const profile =
    options.profileInto === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profileInto}`];
  const child = fork(join(PEERS, `${name}.ts`), [JSON.stringify(argument)], {
    execArgv: ['--disable-warning=ExperimentalWarning', '--no-maglev-osr', ...profile],
    // The request log is written, as in service, and nobody reads it.
    stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
  });
  const ready = await awaitMessage<Ready>(child);
  const usage = (): Promise<Usage> => {
    const answer = awaitMessage<Usage>(child);
    child.send('usage');
    return answer;
  };
  return {
    ready,
    pid: child.pid ?? 0,
    async readCpuSeconds() {
      const { user, system } = await usage();
      return (user + system) / 1e6;
    },
    readLongestHoldMs: async () => (await usage()).longestHoldMs,
    readOutsideMs: async () => (await usage()).outsideMs,
    async collectGarbage() {
      const answer = awaitMessage<Usage>(child);
      child.send('collect');
      await answer;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.send('stop');
      await exit;
    },
  };
}

function awaitMessage<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const settle = (done: () => void): void => {
      clearTimeout(limit);
      child.off('message', onMessage);
      child.off('exit', onExit);
      done();
    };
    const onMessage = (message: Message): void => settle(() => resolve(message));
    const onExit = (code: number | null): void =>
      settle(() => reject(new Error(`a server of the bench ended early with ${String(code)}`)));
    const limit = setTimeout(
      () => settle(() => reject(new Error('a server of the bench does not answer'))),
      READY_LIMIT_MS,
    );
    child.on('message', onMessage);
    child.on('exit', onExit);
  });
}

/** The other end: answers what the bench asks until it says stop, or goes away. */
export function serveBench(
  ready: unknown,
  close: () => Promise<void>,
  outsideMs: () => number = () => 0,
): void {
  let closing: Promise<void> | undefined;
  const stop = (): void => {
    closing ??= close().then(() => process.exit(0));
  };
  const holds = watchHolds();
  process.on('message', (message) => {
    if (message === 'collect') {
      setFlagsFromString('--expose-gc');
      runInNewContext(`gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })`);
    }
    if (message === 'usage' || message === 'collect') {
      const longestHoldMs = holds.takeLongestMs();
      const usage: Usage = { ...process.cpuUsage(), outsideMs: outsideMs(), longestHoldMs };
      process.send?.(usage);
    }
    if (message === 'stop') stop();
  });
  process.on('disconnect', stop);
  process.send?.(ready);
}
