/** The receivers of the guide, as they are printed, and programs of others verify what the service signs. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { systemClock } from '#core/clock.ts';
import { eventKinds } from '#features/updates/types.ts';
import { writeDeliveryBody, writeEvent } from '#features/webhooks/body.ts';
import { signDelivery } from '#features/webhooks/signature.ts';
import { getNumber, getText, parseJson, type Json } from '#testing/service.ts';

const GUIDE = readFileSync(new URL('../../docs/guide/webhooks.md', import.meta.url), 'utf8');
const SECRETS = ['a-secret-of-at-least-32-characters', `whsec_${Buffer.alloc(32, 7).toString('base64')}`];
const OPENSSL = 'openssl';
const BODY = '{"delivery_id":"1","name":"α — “quoted”"}';
const folder = mkdtempSync(join(tmpdir(), 'assayer-receivers-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function readCode(language: string): string {
  const code = new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(GUIDE)?.[1];
  assert.ok(code !== undefined, `the guide has no ${language}`);
  return code;
}

const sign = (secret: string) =>
  signDelivery(
    { deliveryId: 'msg-1', body: BODY, at: systemClock.now(), secrets: [secret] },
    { format: 'hex', prefix: 'X-Service' },
  );

const readTextOrNull = (value: Json | undefined): string | null => (value === null ? null : getText(value));

/** What a program prints for a genuine body and for one that somebody changed. */
function runReceiver(command: string, args: readonly string[], input: object): string {
  const done = spawnSync(command, [...args], { input: JSON.stringify(input), encoding: 'utf8', cwd: folder });
  assert.equal(done.status, 0, done.stderr);
  return done.stdout.trim();
}

const hasCommand = (name: string): boolean => spawnSync(name, ['--version']).error === undefined;

test('guide: the bodies that it prints → are what the service writes for such events', () => {
  const printed = [...GUIDE.matchAll(/```json\n([^]*?)```/g)].map(([, text = '']) => text);
  assert.equal(printed.length, 2);
  for (const text of printed) {
    const { delivery_id: deliveryId, event_type: eventType, data, ...body } = parseJson(text);
    const event = {
      event_type: getText(eventType),
      organization_id: getText(data?.organization_id),
      experiment_id: getText(body.experiment_id),
      experiment_code: getText(data?.experiment_code),
      update_type: getText(data?.update_type),
      name: getText(data?.name),
      description: readTextOrNull(data?.description),
      previous_status: readTextOrNull(body.previous_status),
      status: readTextOrNull(body.new_status),
      eta: readTextOrNull(data?.eta),
      at: new Date(getText(body.timestamp)),
    };
    const place = { update_id: getText(data?.update_id), update_sequence: getNumber(data?.sequence) };
    const written = writeDeliveryBody(getText(deliveryId), writeEvent(event), place);
    assert.equal(JSON.stringify(JSON.parse(text)), written);
    const kind = Object.entries(eventKinds).find(([type]) => type === event.event_type)?.[1];
    assert.equal(event.update_type, kind?.type);
  }
});

test('guide: the receiver in Node → accepts what the service signs, and nothing else', () => {
  const file = join(folder, 'receiver.mjs');
  const ask = `
import { readFileSync } from 'node:fs';
const { headers, body, secret } = JSON.parse(readFileSync(0, 'utf8'));
const old = { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 301) };
console.log(isGenuine(headers, body, secret), isGenuine(headers, body + ' ', secret), isGenuine(old, body, secret));`;
  writeFileSync(file, readCode('js') + ask);
  for (const secret of SECRETS)
    assert.equal(
      runReceiver(process.execPath, [file], { headers: sign(secret), body: BODY, secret }),
      'true false false',
    );
});

test('guide: the receiver in Python → accepts what the service signs, and nothing else', (t) => {
  if (!hasCommand('python3')) return t.diagnostic('not run: python3 is not installed');
  const file = join(folder, 'receiver.py');
  const ask = `
import json, sys
given = json.load(sys.stdin)
headers, body, secret = given["headers"], given["body"].encode(), given["secret"]
print(is_genuine(headers, body, secret), is_genuine(headers, body + b" ", secret))`;
  writeFileSync(file, readCode('python') + ask);
  for (const secret of SECRETS)
    assert.equal(runReceiver('python3', [file], { headers: sign(secret), body: BODY, secret }), 'True False');
});

test('guide: the receiver in a shell → accepts what the service signs, and nothing else', (t) => {
  if (!hasCommand('openssl')) return t.diagnostic('not run: openssl is not installed');
  const run = (body: string, secret: string): string => {
    writeFileSync(join(folder, 'body.json'), body);
    const env = { ...process.env, SECRET: secret, SIGNATURE: sign(secret)['X-Service-Signature'] };
    return spawnSync('sh', ['-c', readCode('sh')], { cwd: folder, env, encoding: 'utf8' }).stdout.trim();
  };
  for (const secret of SECRETS)
    assert.deepEqual([run(BODY, secret), run(`${BODY} `, secret)], ['genuine', '']);
});

const isAccepted = (headers: Readonly<Record<string, string>>, body: string, secret: string): boolean => {
  try {
    // The library reads a secret without its prefix as base64.
    const key = secret.startsWith('whsec_') ? secret : Buffer.from(secret, 'utf8').toString('base64');
    new Webhook(key).verify(body, headers);
    return true;
  } catch (error) {
    assert.ok(error instanceof WebhookVerificationError, String(error));
    return false;
  }
};

test('signature: the Standard Webhooks library of the registry → accepts it, and no other body, id, time or secret', () => {
  for (const secret of SECRETS) {
    const headers = sign(secret);
    assert.equal(isAccepted(headers, BODY, secret), true);
    assert.equal(isAccepted(headers, BODY.replace('1', '2'), secret), false);
    assert.equal(isAccepted({ ...headers, 'webhook-id': 'msg-2' }, BODY, secret), false);
    assert.equal(isAccepted(headers, BODY, `whsec_${Buffer.alloc(32, 8).toString('base64')}`), false);
    const old = String(Number(headers['webhook-timestamp']) - 301);
    assert.equal(isAccepted({ ...headers, 'webhook-timestamp': old }, BODY, secret), false);
  }
});

test('signature: a secret that is replaced → the library accepts the delivery with either', () => {
  const headers = signDelivery(
    { deliveryId: 'msg-1', body: BODY, at: systemClock.now(), secrets: SECRETS },
    { format: 'hex', prefix: 'X-Service' },
  );
  for (const secret of SECRETS) assert.equal(isAccepted(headers, BODY, secret), true);
});

test('signature: openssl with the whole of what is signed → the same webhook-signature', (t) => {
  if (!hasCommand('openssl')) return t.diagnostic('not run: openssl is not installed');
  for (const secret of SECRETS) {
    const headers = sign(secret);
    const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${BODY}`;
    const args = ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', `hexkey:${key.toString('hex')}`, '-binary'];
    const { stdout } = spawnSync(OPENSSL, args, { input: signed });
    assert.equal(headers['webhook-signature'], `v1,${stdout.toString('base64')}`);
  }
});
