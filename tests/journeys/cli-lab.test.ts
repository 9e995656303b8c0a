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

/** Of no experiment. */
const CODE = 'DEMO-009-009';
const plate = createRawFile(named);
const plateFile = createFile('plate 1.csv', Buffer.from(plate.content_base64, 'base64').toString());

test('assayer lab experiments: an experiment → goes from its materials to its release', async () => {
  const { code } = await build.createPaidAsOrdered(build.createBody({ sequences: named }));
  const take = async (verb: string, ...more: readonly string[]): Promise<string> =>
    runLabForOutput(['experiments', verb, code, ...more], '{}');
  const status = ['--fields', 'previous_status,status'];
  assert.equal(await take('receive', ...status, '--yes'), 'waiting_for_materials\nin_queue\n');
  const start = ['--instrument', 'Octet R8', '--yes'];
  assert.equal(await take('start-run', ...start, ...status), 'in_queue\nin_production\n');
  const empty = await take('files');
  assert.match(empty, /^run: instrument +Octet R8$/m);
  assert.match(empty, /^sequences without data +design-1, design-2$/m);
  const uploaded = await take('upload', plateFile);
  assert.match(uploaded, /^file: name +plate 1\.csv$/m);
  assert.match(uploaded, /^file: understood: matched sequences +design-1, design-2$/m);
  assert.match(uploaded, /\nfile: understood: sets\nFORMAT\t.*\nassayer-traces\t/);
  assert.doesNotMatch(await take('files'), /without data/);
  const complete = ['--settings', '@-', '--reason', 'One is enough.'];
  assert.equal(await take('complete', ...complete, ...status), 'in_production\ndata_analysis\n');
  await runLab();
  const again = ['--reason', 'once more', ...status];
  assert.equal(await take('send-back', ...again), 'in_review\ndata_analysis\n');
  await runLab();
  const release = ['--reason', 'One is enough.', '--yes', ...status];
  assert.equal(await take('release', ...release), 'in_review\ndone\n');
  assert.equal(expectStatus(await ask('GET', `/experiments/${code}`), 200).body.status, 'done');
});

test('assayer lab experiments upload: one of two files is bad → it is refused with line and column, the other is stored', async () => {
  const { code } = await build.createRunning(build.createBody({ sequences: named }));
  const bad = createFile('notes.txt', 'hello');
  const answer = await runLabCommand(['experiments', 'upload', code, bad, plateFile]);
  assert.equal(answer.code, 1);
  assert.match(answer.err, /notes\.txt, line 1, column 1: expected a trace file/);
  assert.match(answer.err, /1 file of 2 refused\./);
  assert.match(answer.out, /matched sequences +design-1, design-2/);
  const listed = await runLabForOutput(['experiments', 'files', code, '--json']);
  assert.match(listed, /"name": "plate 1\.csv"/);
  assert.doesNotMatch(listed, /notes\.txt/);
});

test('assayer lab: wrong arguments → exit code 2 and a sentence before anything is sent', async () => {
  mkdirSync(join(folder, 'gator'));
  const noJson = createFile('settings.json', '{');
  for (const [args, sentence] of [
    [['experiments', 'upload', CODE], /FILE is missing/],
    [['experiments', 'upload', CODE, join(folder, 'none.csv')], /cannot be read: there is no such file\./],
    [['experiments', 'upload', CODE, join(folder, 'gator')], /is a folder; send it as one zip archive/],
    [['experiments', 'start-run', CODE], /--instrument/],
    [['experiments', 'release', CODE, '--instrument', 'x'], /has no option --instrument/],
    [['experiments', 'complete', CODE, '--settings', `@${noJson}`], /is not JSON, which --settings takes/],
    [['fly', 'X-1'], /"assayer lab" has no "fly"; see "assayer lab --help"/],
    [['experiments', 'release', CODE, 'X-2'], /There is one argument too many/],
    [['receive', CODE], /Did you mean "lab experiments receive"\?/],
    [['upload', '--run', 'R', 'x.csv'], /no command "lab upload". Did you mean "lab experiments upload"/],
  ] as const) {
    const answer = await runLabCommand(args);
    assert.equal(answer.code, 2, `${args.join(' ')}: ${answer.err}`);
    assert.match(answer.err, sentence);
  }
});

test('assayer lab: a client, or a step that is not due → refused with exit code 1', async () => {
  const { code } = await build.create();
  const early = await runLabCommand(['experiments', 'release', code, '--yes']);
  assert.equal(early.code, 1);
  assert.match(early.err, /move_not_allowed/);
  const client = await runLabCommand(
    ['experiments', 'upload', code, plateFile],
    '',
    await issueToken({ role: 'admin', ownOrganization: true }),
  );
  assert.equal(client.code, 1);
  assert.match(client.err, /permission_denied/);
});
