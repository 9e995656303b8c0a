/** The lab's side from the shell: from the materials to the release, with files from disk. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createBuilders, expectStatus, createSequences } from '#testing/builders.ts';
import { createRawFile } from '#testing/lab-by-hand.ts';
import { testService } from '#testing/service.ts';
import { runAssayer, type CliAnswer } from './cli-process.ts';

const service = await testService();
const { ask, runLab, issueToken, token } = service;
const build = await createBuilders(service);
const url = await service.service.app.listen({ host: '127.0.0.1', port: 0 });
const folder = mkdtempSync(join(tmpdir(), 'assayer-cli-lab-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const named = createSequences(2);
const runLabCommand = (args: readonly string[], input = '', as = token): Promise<CliAnswer> =>
  runAssayer(['lab', ...args], { server: { url, token: as }, input });
const runLabForOutput = async (args: readonly string[], input = ''): Promise<string> => {
  const answer = await runLabCommand(args, input);
  assert.equal(answer.code, 0, answer.err);
  return answer.out;
};

function createFile(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const plate = createRawFile(named);
const plateFile = createFile('plate 1.csv', Buffer.from(plate.content_base64, 'base64').toString());

test('assayer lab: an experiment → goes from its materials to its release', async () => {
  const { code } = await build.createPaidAsOrdered(build.createBody({ sequences: named }));
  assert.match(await runLabForOutput(['receive', code]), /: waiting for materials → in queue/);
  assert.match(
    await runLabForOutput(['start', code, '--instrument', 'Octet R8']),
    /in queue → in production/,
  );
  assert.match(
    await runLabForOutput(['files', code]),
    /Run 1 on Octet R8: running\nNo files yet\.\nWithout data: /,
  );
  const uploaded = await runLabForOutput(['upload', code, plateFile]);
  assert.match(uploaded, /^plate 1\.csv {2}\d+\.\d\d MB {2}SHA-256 [0-9a-f]{12}…\n {2}assayer-traces, /);
  assert.match(uploaded, /2 sequences of the experiment/);
  assert.doesNotMatch(await runLabForOutput(['files', code]), /Without data/);
  assert.match(
    await runLabForOutput(['complete', code, '--settings', '-', '--reason', 'One is enough.'], '{}'),
    /in production → data analysis/,
  );
  await runLab();
  assert.match(
    await runLabForOutput(['send-back', code, '--reason', 'once more']),
    /in review → data analysis/,
  );
  await runLab();
  assert.match(await runLabForOutput(['release', code, '--reason', 'One is enough.']), /in review → done/);
  assert.equal(expectStatus(await ask('GET', `/experiments/${code}`), 200).body.status, 'done');
});

test('assayer lab upload: one of two files is bad → it is refused with line and column, the other is stored', async () => {
  const { code } = await build.createRunning(build.createBody({ sequences: named }));
  const bad = createFile('notes.txt', 'hello');
  const answer = await runLabCommand(['upload', code, bad, plateFile]);
  assert.equal(answer.code, 1);
  assert.match(answer.err, /notes\.txt, line 1, column 1: expected a trace file/);
  assert.match(answer.err, /1 file of 2 refused\./);
  assert.match(answer.out, /2 sequences of the experiment/);
  const listed = await runLabForOutput(['files', code, '--json']);
  assert.match(listed, /"name": "plate 1\.csv"/);
  assert.doesNotMatch(listed, /notes\.txt/);
});

test('assayer lab: wrong arguments → exit code 2 and a sentence before anything is sent', async () => {
  mkdirSync(join(folder, 'gator'));
  const noJson = createFile('settings.json', '{');
  for (const [args, sentence] of [
    [['upload', 'X-1'], /FILE is missing/],
    [['upload', 'X-1', join(folder, 'none.csv')], /cannot be read: there is no such file\./],
    [['upload', 'X-1', join(folder, 'gator')], /is a folder; upload it as one zip archive/],
    [['start', 'X-1'], /--instrument is missing/],
    [['release', 'X-1', '--instrument', 'x'], /"assayer lab release" takes no --instrument/],
    [['complete', 'X-1', '--settings', noJson], /is not JSON/],
    [['fly', 'X-1'], /"assayer lab" has no "fly"; see "assayer lab --help"/],
    [['release', 'X-1', 'X-2'], /"X-2" is one argument too many/],
  ] as const) {
    const answer = await runLabCommand(args);
    assert.equal(answer.code, 2, `${args.join(' ')}: ${answer.err}`);
    assert.match(answer.err, sentence);
  }
});

test('assayer lab: a client, or a step that is not due → refused with exit code 1', async () => {
  const { code } = await build.create();
  const early = await runLabCommand(['release', code]);
  assert.equal(early.code, 1);
  assert.match(early.err, /move_not_allowed/);
  const client = await runLabCommand(
    ['upload', code, plateFile],
    '',
    await issueToken({ role: 'admin', ownOrganization: true }),
  );
  assert.equal(client.code, 1);
  assert.match(client.err, /permission_denied/);
});
