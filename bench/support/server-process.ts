/** A server of a bench in a process of its own, which tells its address and its CPU time. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const PEERS = join(import.meta.dirname, '..', 'peers');
const READY_LIMIT_MS = 30_000;

export interface ServerProcess<Ready> {
  readonly ready: Ready;
  /** CPU time that the process has used so far, in seconds. */
  cpuSeconds(): Promise<number>;
  stop(): Promise<void>;
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
    execArgv: ['--disable-warning=ExperimentalWarning', ...profile],
    // The request log is written, as in service, and nobody reads it.
    stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
  });
  const ready = await nextMessage<Ready>(child);
  return {
    ready,
    async cpuSeconds() {
      const answer = nextMessage<NodeJS.CpuUsage>(child);
      child.send('cpu');
      const usage = await answer;
      return (usage.user + usage.system) / 1e6;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.send('stop');
      await exit;
    },
  };
}

function nextMessage<Message>(child: ChildProcess): Promise<Message> {
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
export function serveBench(ready: unknown, close: () => Promise<void>): void {
  let closing: Promise<void> | undefined;
  const stop = (): void => {
    closing ??= close().then(() => process.exit(0));
  };
  process.on('message', (message) => {
    if (message === 'cpu') process.send?.(process.cpuUsage());
    if (message === 'stop') stop();
  });
  process.on('disconnect', stop);
  process.send?.(ready);
}
