/** The commands of the README and of every guide, in the order in which the README lists them, beside one sandbox. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findFreePort } from '#adapters/x402/anvil.ts';
import { testService } from '#testing/service.ts';
import { ROOT } from './cli-process.ts';
import { findProgramIfAny, GuideSession, readBlocks } from './guide-session.ts';

/** Blocks that run without end or need what a test has not, by their beginning, and who runs them instead. */
const ELSEWHERE: readonly (readonly [start: string, reason: string])[] = [
  ['npm ci && npm start', 'the service of this test stands for it; scripts/fresh-machine runs it'],
  ['npm ci && npm test', 'scripts/fresh-machine runs it'],
  ['npx assayer demo', 'demo.test.ts runs it'],
  ['npx assayer login --url', 'it needs a browser; cli-login.test.ts runs it'],
  ['claude mcp add', 'it is a program of somebody else; tests/mcp connects clients'],
  ['npx assayer start --with-chain', 'it runs without end; sandbox-chain.test.ts starts it'],
  [
    'CODE=$(npx assayer submit examples/designs.fasta --target EGFR --accept --payment-method x402-exact',
    'it needs a chain; sandbox-chain.test.ts pays on one',
  ],
  ['npm start\nnpx assayer start --port', 'it runs without end; tests/launcher starts it'],
  ['expected=$(openssl', 'it needs a delivery; webhook-receivers.test.ts runs it'],
  ['curl -sN ', 'it runs without end; tests/updates reads the stream'],
  ['npx assayer webhooks listen', 'it runs without end; webhook-deliveries.test.ts runs it'],
];
/** lab-guide.test.ts runs this guide, which plays the lab by hand. */
const LAB_GUIDE = 'docs/guide/running-a-lab.md';
const PRINTED = 4_000;

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const listed = [...readme.matchAll(/\]\((docs\/guide\/[\w-]+\.md)\)/g)].map(([, file = '']) => file);
const blocks = ['README.md', ...listed.filter((file) => file !== LAB_GUIDE)].flatMap(readBlocks);
const isElsewhere = (text: string): boolean => ELSEWHERE.some(([start]) => text.startsWith(start));

/** What a reader types: each block begins where the one before ended. */
const steps = blocks
  .filter(({ text }) => !isElsewhere(text))
  .map(({ file, text }) => ({ file, script: `echo; echo "=== ${file}"\n${text}` }));
/** From this guide on the commands order, but read no results of these orders, so that nobody has to measure them. */
const WITHOUT_LAB = 'docs/guide/quotes-and-invoices.md';

const port = await findFreePort();
const url = `http://127.0.0.1:${port}`;
const { service, token, runLab, databaseUrl } = await testService({ BASE_URL: url });
await service.app.listen({ host: '127.0.0.1', port });
const session = new GuideSession({
  url,
  token,
  variables: { DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent' },
});
after(() => session.close());

test('guide: every command of the README and the guides in their order, in bash → succeeds', async () => {
  assert.ok(steps.length > 30, `${steps.length} blocks`);
  const firstWithoutLab = steps.findIndex(({ file }) => file === WITHOUT_LAB);
  const stopLab = `curl -X PUT -H "$AUTH" -H "Content-Type: application/json" "$URL/lab/simulated-lab" -d '{"mode": "manual"}'`;
  const scripts = steps.map(({ script }) => script).toSpliced(firstWithoutLab, 0, stopLab);
  let working: Promise<unknown> | undefined;
  const work = (): void => {
    working ??= runLab().finally(() => (working = undefined));
  };
  const script = ['set -euo pipefail; shopt -s inherit_errexit', ...scripts].join('\n');
  const { code, out } = await session.run('bash', script, work);
  // The database closes after the test, also under a lab that still works.
  await working;
  assert.equal(code, 0, out.slice(-PRINTED));
});

/** The same programs run with the same words; the shells differ in how they read the script. */
const zsh = findProgramIfAny('zsh');
if (zsh !== undefined)
  test('guide: the same commands in zsh → it reads them all', () => {
    const read = spawnSync(zsh, ['-n'], {
      input: steps.map(({ script }) => script).join('\n'),
      encoding: 'utf8',
    });
    assert.deepEqual([read.status, read.stderr], [0, '']);
  });

test('guide: a block that another test runs → still stands in a guide', () => {
  for (const [start, reason] of ELSEWHERE)
    assert.ok(
      blocks.some(({ text }) => text.startsWith(start)),
      `${start}: ${reason}`,
    );
});

test('guide: every guide → the README lists it', () => {
  const guides = readdirSync(join(ROOT, 'docs/guide')).filter((name) => name.endsWith('.md'));
  assert.deepEqual(
    guides.filter((name) => !listed.includes(`docs/guide/${name}`)),
    [],
  );
});

test('guide: its commands → no placeholder, no comment that zsh would run, and every address in quotes', () => {
  for (const { file, text } of [...blocks, ...readBlocks(LAB_GUIDE)]) {
    const place = `${file}: ${text}`;
    assert.doesNotMatch(text, /DEMO-\d|RUN-\d|<[a-z_ ]+>|…/, place);
    assert.doesNotMatch(text, /(?:^|\s)#\s/m, place);
    assert.doesNotMatch(text, /(?<!["\w])(?:\$URL\/|https?:\/\/[^\s"]*[?&])/, place);
  }
});
