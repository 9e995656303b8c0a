/** `assayer logout`: revokes the token that `assayer login` made, and removes it from this machine. */
import { createApi } from './api.ts';
import { CommandError, RefusedError } from './command-error.ts';
import { askOnTerminal } from './confirm.ts';
import { checkUrl } from './connection.ts';
import { findCurrentCredential, deleteCredential, findCredential } from './credentials.ts';
import type { Parsed } from './options.ts';
import { printNote, print, getTerminal } from './terminal.ts';

export const guide = {
  name: 'logout',
  usage: ['[--url URL] [--yes]'],
  about: `Revokes the token that "assayer login" made, with everything derived from it, and removes it from this machine. A
token that was pasted is only removed from this machine and stays valid. At a terminal it asks first.`,
  options: {
    'url URL': 'address of the service (ASSAYER_URL); default: the one of the last login',
    yes: 'do not ask',
  },
};

export async function run({ values }: Parsed<typeof guide>): Promise<void> {
  const address = [values.url, getTerminal().environment.ASSAYER_URL].find(
    (url) => url !== undefined && url !== '',
  );
  const credential = address === undefined ? findCurrentCredential() : findCredential(checkUrl(address));
  if (credential === undefined)
    throw new CommandError(
      address === undefined ? 'You are not signed in.' : `You are not signed in to ${address}.`,
    );
  const { url, token, isOwn } = credential;
  const question = isOwn
    ? `Sign out of ${url} and revoke its token, with all derived from it?`
    : `Remove the token of ${url} from this machine?`;
  await askOnTerminal(question, values.yes === true);
  // Removed first, so that this machine no longer has it, whatever the service answers.
  deleteCredential(url);
  if (isOwn) await revoke(url, token);
  print(`You are signed out of ${url}.`);
}

async function revoke(url: string, token: string): Promise<void> {
  try {
    await createApi({ url, token }).post('/tokens/revoke');
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    // A token that is invalid already needs no revocation.
    if (error instanceof RefusedError && error.refusal.status === 401) return;
    printNote(`The token was removed from this machine but not revoked: ${error.message}`);
  }
}
