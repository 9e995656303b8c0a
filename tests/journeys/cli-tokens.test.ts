/** Tokens and webhooks from the shell: made, narrowed, listed, revoked or tried, and signed by a key that rotates under a service. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startProcess, type ServiceProcess } from '#testing/process.ts';
import { readTokenId } from '#testing/requests.ts';
import { runAssayer, type CliAnswer } from './cli-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'assayer-cli-tokens-'));
let service: ServiceProcess | undefined;
before(async () => {
  service = await startProcess(join(folder, 'data'), {});
});
after(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function run(args: readonly string[], token?: string): Promise<CliAnswer> {
  if (service === undefined) throw new Error('no service');
  return runAssayer(args, { server: { url: service.url, token: token ?? service.token } });
}

async function runForOutput(args: readonly string[], token?: string): Promise<string> {
  const answer = await run(args, token);
  assert.equal(answer.code, 0, answer.err);
  return answer.out.trim();
}

test('assayer tokens: create, attenuate, list and revoke → the limits hold, and the list shows no token', async () => {
  const member = await runForOutput([
    'tokens',
    'create',
    'pipeline',
    '--role',
    'member',
    '--expires-in',
    '7d',
  ]);
  const limits = ['--read-only', '--resources', 'experiment,token', '--max-spend', '100'];
  const narrow = await runForOutput(['tokens', 'attenuate', 'dashboard', ...limits], member);
  assert.match(narrow, /^asy_test_/);
  const listed = await run(['tokens', 'list'], narrow);
  assert.equal(listed.code, 0, listed.err);
  assert.ok(listed.out.includes('dashboard') && !listed.out.includes(narrow));
  const refused = await run(['targets'], narrow);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /target:list/);
  assert.match(await runForOutput(['tokens', 'revoke', readTokenId(narrow)], member), /^Revoked, with 0/);
  assert.match((await run(['tokens', 'list'], narrow)).err, /has been revoked/);
});

test('assayer tokens: wrong arguments → exit code and a sentence that names what is wrong', async () => {
  for (const args of [['tokens'], ['tokens', 'make'], ['tokens', 'create'], ['keys', 'burn']]) {
    const answer = await run(args);
    assert.equal(answer.code, 2, answer.err);
    assert.match(answer.err, /--help/);
  }
  const unlimited = await run(['tokens', 'create', 'x', '--max-spend', '100']);
  assert.equal(unlimited.code, 2);
  assert.match(unlimited.err, /"assayer tokens create" takes no --max-spend, which belongs to "attenuate"/);
  const beyond = await run(['tokens', 'attenuate', 'x', '--actions', 'fly']);
  assert.equal(beyond.code, 1);
  assert.match(beyond.err, /allowed_actions/);
  assert.equal((await run(['tokens', 'attenuate', 'x', '--max-spend', 'much'])).code, 2);
});

test('assayer webhooks: create, trigger, deliveries, roll → the event happens, and both lists of deliveries have it', async () => {
  const made = await run(['webhooks', 'create', 'http://127.0.0.1:9/hook', '--event', 'invoice.paid']);
  assert.equal(made.code, 0, made.err);
  assert.match(made.out, /^whsec_/);
  const [id = ''] = /[0-9a-f-]{36}/.exec(made.err) ?? [];
  const happened = await runForOutput(['webhooks', 'trigger', 'invoice.paid']);
  assert.match(happened, /^invoice\.paid of DEMO-\d+-\d+ has happened\.$/);
  for (const operands of [[], [id]])
    assert.match(await runForOutput(['webhooks', 'deliveries', ...operands]), /invoice\.paid +waiting/);
  const refused = await run(['webhooks', 'trigger', 'quote.expired']);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /a quote expires at its end date/);
  assert.equal((await run(['webhooks', 'trigger'])).code, 2);
  assert.match(await runForOutput(['webhooks', 'roll', id]), /^whsec_/);
  assert.ok(service !== undefined);
  const answers = { server: service, isAsked: true, input: 'no\n' };
  const kept = await runAssayer(['webhooks', 'roll', id], answers);
  assert.deepEqual([kept.code, kept.out], [1, '']);
  assert.match(kept.err, /Make a new secret for the endpoint [^]*Nothing was changed/);
  const rolled = await runAssayer(['webhooks', 'roll', id], { ...answers, input: 'yes\n' });
  assert.equal(rolled.code, 0, rolled.err);
  assert.match(rolled.out, /^whsec_/);
});
