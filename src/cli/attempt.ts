/**
 * The changes of one command under one idempotency key: the same command with the same key goes on where it stopped, and
 * makes nothing twice.
 */
import { toRecord } from '#core/records.ts';
import { createApi, createKey, type Api } from './api.ts';
import {
  CommandError,
  EXIT,
  isOutcomeUnknown,
  isPassing,
  SIGNALS,
  UnfinishedError,
} from './command-error.ts';
import type { Ask } from './requests.ts';
import { printNote } from './terminal.ts';

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
  const interrupted = Promise.withResolvers<never>();
  const stop = (): void => {
    if (isBegun) interrupted.reject(new CommandError('Interrupted.', EXIT.interrupted));
  };
  for (const name of SIGNALS) process.prependListener(name, stop);
  try {
    return await Promise.race([work(api, key), interrupted.promise]);
  } catch (error) {
    if (!isBegun) throw error;
    if (!(error instanceof CommandError)) printNote(describe());
    else if (isOutcomeUnknown(error) || isPassing(error) || error.exitCode === EXIT.interrupted)
      throw new UnfinishedError(error, key, describe());
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
