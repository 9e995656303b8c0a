/** What the command line loads for what it does: a small command loads little. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { ROOT } from '#testing/launcher.ts';

const STANDING = {
  organizations: [{ name: 'Demo', role: 'admin', active: true }],
  permissions: ['experiments:read'],
  token_expires_at: null,
};
const door = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(STANDING));
}).listen(0, '127.0.0.1');
await once(door, 'listening');
after(() => door.close());
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
const { port } = door.address() as AddressInfo;

/** Names every file that is loaded, and whether the client of HTTP was, behind the output. */
const PROGRAM = `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  process.on('exit', () => {
    const hasFetch = process.moduleLoadList.includes('NativeModule internal/deps/undici/undici');
    console.error(JSON.stringify({ loaded, hasFetch }));
  });
  process.argv.splice(1, 0, 'assayer');
  await import('./src/cli/main.ts');
`;

interface Loaded {
  readonly out: string;
  readonly sources: readonly string[];
  /** Packages and whatever else stands outside of src/. */
  readonly others: readonly string[];
  readonly hasFetch: boolean;
}

async function load(...args: readonly string[]): Promise<Loaded> {
  const options = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', PROGRAM, '--'];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...options, ...args], {
    cwd: ROOT,
    env: {
      ...process.env,
      npm_lifecycle_script: '',
      ASSAYER_URL: `http://127.0.0.1:${port}`,
      ASSAYER_TOKEN: 'asy_test_none',
      XDG_CONFIG_HOME: '/nonexistent',
      DATA_DIR: '/nonexistent',
    },
  });
  const { loaded, hasFetch }: { readonly loaded: readonly string[]; readonly hasFetch: boolean } =
    JSON.parse(stderr);
  const source = /\/src\/(.*)\.ts$/;
  const files = loaded.filter((url) => url.startsWith('file:'));
  return {
    out: stdout,
    sources: files.flatMap((url) => source.exec(url)?.[1] ?? []).sort(),
    others: files.filter((url) => !source.test(url)),
    hasFetch,
  };
}

const ALWAYS = [
  'cli/command-error',
  'cli/commands',
  'cli/help-layout',
  'cli/main',
  'cli/terminal',
  'composition/source-stacks',
  'core/nearest',
  'settings/environment',
];

test('modules: --help → the table of commands and what prints it', async () => {
  const { out, sources, others, hasFetch } = await load('--help');
  assert.match(out, /^Usage: assayer/);
  assert.deepEqual(sources, ALWAYS);
  assert.deepEqual(others, []);
  assert.equal(hasFetch, false);
});

test('modules: version → the same, the command, its options and the manifest', async () => {
  const { out, sources, others, hasFetch } = await load('version');
  assert.match(out, /^assayer \d/);
  assert.deepEqual(sources, [...ALWAYS, 'cli/options', 'cli/version', 'core/records', 'core/words'].sort());
  assert.deepEqual(
    others.map((url) => url.slice(url.lastIndexOf('/') + 1)),
    ['package.json'],
  );
  assert.equal(hasFetch, false);
});

test('modules: whoami → the same and what speaks to the service, without contracts, schemas and packages', async () => {
  const { out, sources, others } = await load('whoami');
  assert.match(out, /Organization {2}Demo/);
  assert.deepEqual(
    sources,
    [
      ...ALWAYS,
      'cli/api',
      'cli/connection',
      'cli/credentials',
      'cli/documents',
      'cli/http',
      'cli/numbers',
      'cli/options',
      'cli/progress',
      'cli/requests',
      'cli/whoami',
      'cli/words',
      'core/clock',
      'core/lifecycle',
      'core/money',
      'core/records',
      'core/relations',
      'core/words',
    ].sort(),
  );
  assert.deepEqual(others, []);
});
