/** Tokens and webhooks from the shell: made, narrowed, listed, revoked or tried, and signed by a key that rotates under a service. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startProcess, type ServiceProcess } from '#testing/process.ts';
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
  const create = ['tokens', 'create', '--name', 'pipeline', '--role', 'member', '--expires-in', '7d'];
  const member = await runForOutput([...create, '--fields', 'token']);
  const limits = ['--attenuation.read-only', '--attenuation.max-spend-cents', '100'];
  const resources = ['experiment', 'token'].flatMap((each) => ['--attenuation.allowed-resources', each]);
  const derive = ['tokens', 'attenuate', '--name', 'dashboard', ...limits, ...resources];
  const narrow = await runForOutput([...derive, '--fields', 'token'], member);
  assert.match(narrow, /^asy_test_/);
  const listed = await run(['tokens', 'list'], narrow);
  assert.equal(listed.code, 0, listed.err);
  assert.ok(listed.out.includes('dashboard') && !listed.out.includes(narrow));
  const refused = await run(['targets', 'list'], narrow);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /target:list/);
  const revoke = ['tokens', 'revoke', 'dashboard', '--yes', '--fields', 'children_revoked'];
  assert.equal(await runForOutput(revoke, member), '0');
  assert.match((await run(['tokens', 'list'], narrow)).err, /has been revoked/);
});

test('assayer tokens: a terminal of 80 columns → the token is printed whole', async () => {
  if (service === undefined) throw new Error('no service');
  const create = ['tokens', 'create', '--name', 'wide', '--role', 'member', '--expires-in', '7d'];
  const { out } = await runAssayer(create, { server: service, columns: 80 });
  const [, token = ''] = /^token +(asy_test_\S+)$/m.exec(out) ?? [];
  assert.equal((await run(['tokens', 'list'], token)).code, 0, out);
});

test('assayer tokens: wrong arguments → exit code and a sentence that names what is wrong', async () => {
  for (const args of [['tokens'], ['tokens', 'make'], ['keys', 'burn']]) {
    const answer = await run(args);
    assert.equal(answer.code, 2, answer.err);
    assert.match(answer.err, /--help/);
  }
  const create = await run(['tokens', 'create', '--max-spend-cents', '100']);
  assert.equal(create.code, 2);
  assert.match(create.err, /"assayer tokens create" has no option --max-spend-cents/);
  const attenuate = ['tokens', 'attenuate', '--name', 'x'];
  const beyond = await run([...attenuate, '--attenuation.allowed-actions', 'fly']);
  assert.equal(beyond.code, 2);
  assert.match(beyond.err, /--attenuation\.allowed-actions/);
  assert.equal((await run([...attenuate, '--attenuation.max-spend-cents', 'much'])).code, 2);
});

test('assayer webhooks: create, an event, deliveries, roll-secret → the event happens, and both lists of deliveries have it', async () => {
  const create = ['webhooks', 'create', '--webhook-url', 'http://127.0.0.1:9/hook'];
  const id = await runForOutput([...create, '--event-types', 'invoice.paid', '--fields', 'id']);
  assert.match(await runForOutput(['webhooks', 'list']), new RegExp(`\\t${id}$`, 'm'));
  const trigger = ['sandbox', 'trigger-event', '--event-type'];
  const code = await runForOutput([...trigger, 'invoice.paid', '--yes', '--fields', 'experiment_code']);
  assert.equal((await run(['watch', code, '--timeout', '120'])).code, 0);
  for (const words of [
    ['deliveries', 'list'],
    ['webhooks', 'deliveries', id],
  ])
    assert.match(await runForOutput(words), /invoice\.paid/);
  const refused = await run([...trigger, 'quote.expired', '--yes']);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /a quote expires at its end date/);
  assert.equal((await run(['sandbox', 'trigger-event', '--yes'])).code, 2);
  const roll = ['webhooks', 'roll-secret', id, '--fields', 'secret'];
  assert.ok(service !== undefined);
  const answers = { server: service, isAsked: true, input: 'no\n' };
  const kept = await runAssayer(roll, answers);
  assert.deepEqual([kept.code, kept.out], [1, '']);
  assert.match(kept.err, /roll-secret [^]*Nothing was changed/);
  const rolled = await runAssayer(roll, { ...answers, input: 'yes\n' });
  assert.equal(rolled.code, 0, rolled.err);
  assert.match(rolled.out, /^whsec_/);
});
