/** A name with a character that nobody sees looks like another name: it is refused at every door, by the place of the character. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openSignedIn } from '#testing/browser.ts';
import { createBuilders, VHH } from '#testing/builders.ts';
import { testService, type Json } from '#testing/service.ts';
import { callTool } from '#testing/tool-call.ts';
import { runAssayer } from '../journeys/cli-process.ts';

const world = await testService();
const { ask, service, token } = world;
const { createBody } = await createBuilders(world);
const url = await service.app.listen({ host: '127.0.0.1', port: 0 });
const folder = mkdtempSync(join(tmpdir(), 'assayer-invisible-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const LOOK_ALIKE = 'VHH\u200b1';
const SHOWN = 'نانو\u200cبادی 👩\u200d🔬';
const SAYS = /[Cc]ontains the invisible character U\+200B at position 4; remove it/;

const importText = (media: string, payload: string) =>
  ask('POST', '/experiments/import?name=x&experiment_type=expression', {
    payload,
    headers: { 'content-type': media },
  });

for (const [media, write] of [
  ['text/csv', (name: string) => `name,sequence\n${name},${VHH}\n`],
  ['text/x-fasta', (name: string) => `>${name}\n${VHH}\n`],
] as const)
  test(`invalid_experiment: ${media} with an invisible character in a name → refused; with letters that need a joiner → imported`, async () => {
    const refused = await importText(media, write(LOOK_ALIKE));
    assert.equal(refused.status, 400, refused.text);
    assert.match(refused.text, SAYS);
    const imported = await importText(media, write('نانو\u200cبادی'));
    assert.equal(imported.status, 201, imported.text);
  });

test('a tool: an invisible character in the name of an experiment → refused', async () => {
  const create = async (name: string): Promise<Json | undefined> =>
    (await callTool(world, 'create_exp', { ...createBody(), name })).result;
  const refused = await create(LOOK_ALIKE);
  assert.equal(refused?.isError, true);
  assert.match(JSON.stringify(refused), SAYS);
  assert.notEqual((await create(SHOWN))?.isError, true);
});

test('a form: an invisible character in the name of a person or an organization → refused', async () => {
  const person = await openSignedIn(world);
  for (const [page, path, field] of [
    ['/account', '/account/name', 'name'],
    ['/organizations', '/organizations/found', 'organization'],
  ] as const) {
    const refused = await person.send(await person.open(page), path, { [field]: LOOK_ALIKE });
    assert.equal(refused.status, 400, path);
    assert.match(refused.text, SAYS);
    const answer = await person.send(await person.open(page), path, { [field]: SHOWN });
    assert.equal(answer.status, 303, path);
  }
});

test('assayer submit, tokens: an invisible character in a name → refused with its place', async () => {
  const file = join(folder, 'designs.fasta');
  writeFileSync(file, `>design-1\n${VHH}\n`);
  const server = { url, token };
  for (const [exitCode, ...args] of [
    [1, 'submit', file, '--type', 'expression', '--draft', '--name', LOOK_ALIKE],
    [2, 'tokens', 'create', '--name', LOOK_ALIKE, '--role', 'viewer', '--expires-in', '7d'],
  ] as const) {
    const { code, err } = await runAssayer(args, { server });
    assert.equal(code, exitCode, err);
    assert.match(err, SAYS);
  }
});

test('user.email: an invisible character in an address → no address', async () => {
  const org = { type: 'new_org', name: 'A client' };
  const mint = (email: string) => ask('POST', '/partners/mint-token', { body: { org, user: { email } } });
  const refused = await mint('per\u200bson@example.org');
  assert.equal(refused.status, 400, refused.text);
  assert.match(refused.text, /user\.email: must be an e-mail address/);
});
