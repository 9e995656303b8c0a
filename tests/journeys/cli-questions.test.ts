/** What the command line asks before it spends or ends something, and what it says of a code in place of an id. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders } from '#testing/builders.ts';
import { testService } from '#testing/service.ts';
import { runAssayer } from './cli-process.ts';

const service = await testService();
const build = await createBuilders(service);
const url = await service.service.app.listen({ port: 0, host: '127.0.0.1' });
service.service.setBaseUrl(url);
const server = { url, token: service.token };

test('assayer accept: a terminal → asked for the amount, "no" orders nothing; a pipe → needs --yes', async () => {
  const { code } = await build.createQuoted();
  const question = new RegExp(
    `^Accept the quote of ${code}, \\$[\\d,.]+, valid until \\S+\\? This orders it\\.`,
  );
  const piped = await runAssayer(['accept', code], { server });
  assert.equal(piped.code, 2);
  assert.match(piped.err, question);
  assert.match(piped.err, /add --yes/);
  const refused = await runAssayer(['accept', code], { server, isAsked: true, input: 'no\n' });
  assert.equal(refused.code, 1);
  assert.match(refused.err, question);
  assert.match((await runAssayer(['quote', code], { server })).out, /, open\n/);
  const agreed = await runAssayer(['accept', code], { server, isAsked: true, input: 'yes\n' });
  assert.equal(agreed.code, 0, agreed.err);
});

test('a command of an operation that cannot be undone: a terminal → asked with what it is about', async () => {
  const { code, quoteId } = await build.createQuoted();
  const ask = (words: string) => runAssayer(words.split(' '), { server, isAsked: true, input: 'no\n' });
  const rejected = await ask(`quotes reject ${quoteId} --reason price`);
  assert.equal(rejected.code, 1);
  assert.match(
    rejected.err,
    new RegExp(
      `reason price\\n  of quote number Q-\\S+, .*${code}[^]*amount \\$[\\d,.]+, valid until \\S+\\nIt cannot be undone\\. Go on`,
    ),
  );
  const piped = await runAssayer(['quotes', 'reject', quoteId, '--reason', 'price'], { server });
  assert.match(piped.err, new RegExp(`${code}[^]*amount \\$[\\d,.]+[^]*add --yes`));
  const unknown = await ask('quotes reject qt_00000000000000000000000000000000 --reason price');
  assert.match(unknown.err, /^No such quote\./);
  const member = await ask(`members delete ${await build.createMember()}`);
  assert.match(member.err, /\n  of email \S+@\S+, .*role \w+.*\nIt cannot be undone\./);
});

test('a question before several entries: decisions → each on a line, with its own values', async () => {
  const { code } = await build.createQuoted();
  const common = { plate: 'P1', replicate: '2', decision: 'exclude', reason: 'bubble' };
  const entries = ['a', 'b'].flatMap((sequence) =>
    Object.entries({ sequence, ...common }).flatMap(([name, value]) => [`--decisions.${name}`, value]),
  );
  const args = ['lab', 'experiments', 'decide', code, ...entries];
  const { code: exitCode, err } = await runAssayer(args, { server, isAsked: true, input: 'no\n' });
  assert.equal(exitCode, 1);
  assert.match(
    err,
    /\n {2}decisions 1: sequence a, plate P1, replicate 2, decision exclude, reason bubble\n {2}decisions 2: sequence b, plate/,
  );
});

test('a question before several entries: a name in place of an id → the name as it was typed', async () => {
  const { code } = await build.createQuoted();
  const { out } = await runAssayer(['lab', 'experiments', 'sequences', code, '--json'], { server });
  const name = String(JSON.parse(out).sequences[0].name);
  const materials = JSON.stringify([{ sequence_id: name, status: 'received' }]);
  const args = ['lab', 'experiments', 'edit-materials', code, '--materials', materials];
  const { err } = await runAssayer(args, { server, isAsked: true, input: 'no\n' });
  assert.match(err, new RegExp(`\\n {2}materials 1: sequence id ${name}, status received\\n`));
});

test('submit --accept: an experiment that has its quote already → the command that accepts it', async () => {
  const { code } = await build.createQuoted();
  const { code: exitCode, err } = await runAssayer(['submit', code, '--accept'], { server });
  assert.equal(exitCode, 1);
  assert.match(err, new RegExp(`It has a quote already: "assayer accept ${code}" accepts it\\.`));
});

test('an id: the code of an experiment in its place → the only thing that it has, or the command that lists them', async () => {
  const { code } = await build.createQuoted();
  const shown = await runAssayer(['quotes', 'show', code, '--fields', 'experiment_code'], { server });
  assert.deepEqual([shown.code, shown.out], [0, `${code}\n`]);
  for (const noun of ['results', 'sequences']) {
    const { code: exitCode, err } = await runAssayer([noun, 'show', code], { server });
    const list = `assayer ${noun} list --filter 'eq(experiment_code,${code})'`;
    assert.deepEqual(
      [exitCode, err],
      [1, `${code} is the code of an experiment: "${list}" lists what it has.\n`],
    );
  }
});
