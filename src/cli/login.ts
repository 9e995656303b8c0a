/**
 * `assayer login`: gets a token for this machine with a code that a person approves in a browser, or stores a pasted
 * one.
 */
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { toRecord } from '#core/records.ts';
import { DEVICE_CLIENT_ID, DEVICE_GRANT_TYPE } from '#features/people/devices/rules.ts';
import { createApi } from './api.ts';
import { CommandError } from './command-error.ts';
import { getServiceAddress } from './connection.ts';
import { getCredentialsFile, keepCredential } from './credentials.ts';
import { readTextFile, tryToWrite } from './files.ts';
import { createNoAnswerError, sendHttp } from './http.ts';
import { type Parsed, createUsageError } from './options.ts';
import { readBody } from './requests.ts';
import { showWait } from './progress.ts';
import { printNote, toPlainText, print, getTerminal } from './terminal.ts';
import { listStandingLines, readStanding } from './whoami.ts';

export const guide = {
  name: 'login',
  usage: ['[--url URL]', '[--url URL] --token -'],
  about: `Shows a code and an address. Open the address in a browser, on this machine or another, sign in, compare the code and
approve: this machine then gets an access token of its own. The other commands use it from then on.`,
  options: {
    'url URL': 'address of the service (ASSAYER_URL); default: the one running on this machine',
    'token -': 'no browser: reads an existing access token from standard input',
    'name NAME': 'device name for the token; default: the name of this machine',
    'data-dir DIR': 'where a service of this machine keeps its data (DATA_DIR)',
  },
  notes: `The token is kept in $XDG_CONFIG_HOME/assayer/credentials.json, or below ~/.config, where only you can read it.
"assayer logout" revokes it.`,
  examples: ['login --url https://lab.example', 'login --url https://lab.example --token - < token.txt'],
};

const TIMEOUT_MS = 30_000;
const USUAL_LIFE_S = 600;
const USUAL_INTERVAL_S = 5;
const DAY_S = 86_400;
const TOKEN_BYTES_MAX = 8_192;

export async function run({ values }: Parsed<typeof guide>): Promise<void> {
  // Every user of the machine could read the token in an argument, and the shell would store it in its history.
  if (values.token !== undefined && values.token !== '-')
    throw createUsageError(guide, 'The token is read from standard input: give --token - and paste it');
  const url = getServiceAddress(values);
  const token =
    values.token === '-' ? await readPastedToken() : await signInByDevice(url, values.name ?? hostname());
  const standing = await readStanding(createApi({ url, token }));
  tryToWrite(getCredentialsFile(), () => keepCredential({ url, token, isOwn: values.token === undefined }));
  print(`You are signed in to ${url}.`);
  for (const line of listStandingLines(standing)) print(line);
  printNote(`The token is kept in ${getCredentialsFile()}.`);
}

async function readPastedToken(): Promise<string> {
  if (getTerminal().stdin.isTTY) printNote('Paste the access token, then press Enter and Ctrl+D:');
  const token = (await readTextFile('-', TOKEN_BYTES_MAX)).trim();
  if (token === '') throw new CommandError('Standard input was empty.', 2);
  if (/\s/.test(token))
    throw new CommandError('The input has more than one word, so it is not an access token.', 2);
  return token;
}

/** RFC 8628 §3: requests a code, shows it, and polls until the person has decided. */
async function signInByDevice(url: string, name: string): Promise<string> {
  const authorization = await post(`${url}/device/authorization`, {
    client_id: DEVICE_CLIENT_ID,
    device_name: name,
  });
  if (authorization.status !== 200) throw createRefusal(url, authorization);
  const { body } = authorization;
  const { device_code: deviceCode, user_code: userCode, verification_uri_complete: address } = body;
  if (typeof deviceCode !== 'string' || typeof userCode !== 'string' || typeof address !== 'string')
    throw createRefusal(url, authorization);
  printNote(`Open this address in a browser and approve the code ${toPlainText(userCode)}:`);
  printNote('');
  printNote(`  ${toPlainText(address)}`);
  printNote('');
  printNote('Waiting for the approval; press Ctrl+C to stop.');
  const lifeS = readSeconds(body['expires_in'], USUAL_LIFE_S);
  const polling = poll(url, deviceCode, {
    intervalS: readSeconds(body['interval'], USUAL_INTERVAL_S),
    lifeS,
  });
  return showWait('The code works', polling, lifeS * 1_000);
}

/** What the service says, if it is a time that can be waited for. */
function readSeconds(value: unknown, usual: number): number {
  return typeof value === 'number' && value >= 1 && value <= DAY_S ? value : usual;
}

async function poll(
  url: string,
  deviceCode: string,
  { intervalS: firstS, lifeS }: { readonly intervalS: number; readonly lifeS: number },
): Promise<string> {
  let intervalS = firstS;
  let waitedS = 0;
  while (waitedS < lifeS) {
    await wait(intervalS * 1_000);
    waitedS += intervalS;
    const answer = await post(`${url}/device/token`, {
      grant_type: DEVICE_GRANT_TYPE,
      device_code: deviceCode,
      client_id: DEVICE_CLIENT_ID,
    });
    if (answer.status === 200 && typeof answer.body.access_token === 'string')
      return answer.body.access_token;
    // The service is restarting or busy; the code stays valid.
    if (answer.status >= 500 || answer.status === 429) continue;
    switch (answer.body.error) {
      case 'authorization_pending':
        break;
      case 'slow_down':
        intervalS += 5;
        break;
      case 'access_denied':
        throw new CommandError('The request was denied in the browser.');
      case 'expired_token':
        throw new CommandError('Nobody approved the code in time; run the command again.');
      default:
        throw createRefusal(url, answer);
    }
  }
  throw new CommandError('Nobody approved the code in time; run the command again.');
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function post(address: string, fields: Readonly<Record<string, string>>): Promise<Answer> {
  const place = { url: new URL(address).origin, token: '' };
  const answer = await sendHttp(new URL(address), {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams(fields).toString(),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw createNoAnswerError(place, error, TIMEOUT_MS);
  });
  return { status: answer.status, body: toRecord(await readBody(place, answer)) };
}

function createRefusal(url: string, { status, body }: Answer): CommandError {
  const sentence = [body.error_description, body.error].find((value) => typeof value === 'string');
  if (typeof sentence !== 'string')
    return new CommandError(
      `${url} answered ${status} with something that is not this service; check the address.`,
    );
  return new CommandError(toPlainText(sentence));
}
