/**
 * The changes of one command under one idempotency key: the same command with the same key goes on where it stopped, and
 * makes nothing twice.
 */
import { toRecord } from '#core/records.ts';
import { createApi, createKey, type Api } from './api.ts';
import { CommandError, isOutcomeUnknown, isPassing, UnfinishedError } from './command-error.ts';
import type { Ask } from './requests.ts';
import { printNote } from './terminal.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs the steps of a command, each under a key of its own that comes from that of the command. Where nobody knows what
 * became of a step, and where a signal ends the command, it says with which key the command is repeated.
 */
export async function runAttempt<Answer>(
  { connection }: Api,
  key = createKey(),
  work: (api: Api, key: string) => Promise<Answer>,
): Promise<Answer> {
  let isBegun = false;
  let code = '';
  const api = createApi(connection, async (path, change) => {
    code = /^\/experiments\/([^/]+)\//.exec(path)?.[1] ?? code;
    const wasBegun = isBegun;
    isBegun = true;
    try {
      const answer = await change(`${key}.${path.split('/').at(-1)}`);
      const { experiment_code: made } = toRecord(answer);
      if (typeof made === 'string') code = made;
      return answer;
    } catch (error) {
      isBegun = wasBegun || !(error instanceof CommandError) || isOutcomeUnknown(error);
      throw error;
    }
  });
  const describe = (): string =>
    `${code === '' ? '' : `The experiment is ${decodeURIComponent(code)}. `}It may have been done; repeat with --idempotency-key ${key}, so that nothing is made twice.`;
  const stop = (signal: NodeJS.Signals): void => {
    if (isBegun) printNote(`\n${describe()}`);
    // Ctrl+C has a listener that ends the process; others would end it by themselves without this one.
    if (signal === 'SIGINT') return;
    for (const name of SIGNALS) process.off(name, stop);
    process.kill(process.pid, signal);
  };
  for (const name of SIGNALS) process.prependListener(name, stop);
  try {
    return await work(api, key);
  } catch (error) {
    if (!isBegun) throw error;
    if (!(error instanceof CommandError)) printNote(describe());
    else if (isOutcomeUnknown(error) || isPassing(error)) throw new UnfinishedError(error, key, describe());
    throw error;
  } finally {
    for (const name of SIGNALS) process.off(name, stop);
  }
}

/** Sends one change under the key itself. */
export function sendOnce(
  api: Api,
  { method, path, body, key }: Pick<Ask, 'method' | 'path' | 'key'> & { readonly body: unknown },
): Promise<unknown> {
  return runAttempt(api, key, (once, own) => once.send(method, path, body, { 'idempotency-key': own }));
}
