/** Which program a start runs: the bundle of the sources of now, or these sources themselves. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { ROOT, startService, waitUntil } from '#testing/launcher.ts';
import { copyPreparedCluster } from '#testing/prepared-cluster.ts';

const directory = mkdtempSync(join(tmpdir(), 'assayer-bundle-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const PRINT_ENTRY = `import { findEntry } from './bundle.mjs';\nconsole.log(findEntry());\n`;
const GONE_WITHIN_MS = 60_000;
const MAIN = `import { version } from '#core/version.ts';\nconsole.log(version as string);\n`;
const {
  ENTRIES,
  findEntry: findOwnEntry,
}: { readonly ENTRIES: readonly string[]; readonly findEntry: () => string } = await import(
  new URL('../../bin/bundle.mjs', import.meta.url).href
);

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
}

function writeVersion(root: string, version: string): void {
  write(root, { 'src/core/version.ts': `export const version: string = '${version}';\n` });
}

/** A folder laid out like this repository, with a program that prints its version. */
function createProgram(name: string, { packages = ['esbuild'] } = {}): string {
  const root = join(directory, name);
  cpSync(join(ROOT, 'bin', 'bundle.mjs'), join(root, 'bin', 'bundle.mjs'));
  write(root, {
    'package.json': JSON.stringify({ type: 'module', imports: { '#core/*': './src/core/*' } }),
    'bin/print-entry.mjs': PRINT_ENTRY,
    ...Object.fromEntries(ENTRIES.map((entry) => [`src/${entry}.ts`, MAIN])),
  });
  writeVersion(root, '1.0');
  mkdirSync(join(root, 'node_modules'));
  for (const installed of packages)
    symlinkSync(join(ROOT, 'node_modules', installed), join(root, 'node_modules', installed));
  return root;
}

/** Finds the entry in a process of its own, as each start does. */
async function findEntry(root: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'bin', 'print-entry.mjs')]);
  return stdout.trim();
}

async function start(root: string): Promise<{ readonly entry: string; readonly out: string }> {
  const entry = await findEntry(root);
  const options = ['--disable-warning=ExperimentalWarning', entry];
  return { entry, out: execFileSync(process.execPath, options, { encoding: 'utf8' }).trim() };
}

function listBundles(root: string): string[] {
  const folder = join(root, 'node_modules', '.cache', 'bundles');
  return existsSync(folder) ? readdirSync(folder) : [];
}

test('bundle: each file of src/ that another one names by its address → is an entry, with a name of its own', () => {
  const sources = globSync('src/**/*.ts', { cwd: ROOT, exclude: ['**/*.test.ts'] });
  const named = sources.flatMap((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const addresses = [...text.matchAll(/(locateEntry\()?new URL\('([^']+)\.ts', import\.meta\.url\)/g)];
    return addresses.map(([, located, address = '']) => {
      assert.ok(located, `${path} names ${address}.ts: find it by locateEntry, which knows the bundle`);
      return relative('src', join(dirname(path), address));
    });
  });
  assert.deepEqual(named.toSorted(), [...ENTRIES].toSorted());
  assert.equal(new Set(ENTRIES.map((entry) => basename(entry))).size, ENTRIES.length);
});

test('bundle: sources as before, edited, edited back → the bundle of before, one of its own, the first again', async () => {
  const root = createProgram('edited');
  const first = await start(root);
  assert.match(first.entry, /node_modules\/\.cache\/bundles\/[\da-f]{64}\/main\.mjs$/);
  assert.deepEqual(await start(root), first);
  assert.equal(first.out, '1.0');
  // An edit that keeps length and time of the file.
  const file = join(root, 'src', 'core', 'version.ts');
  const { atime, mtime, size } = statSync(file);
  writeVersion(root, '2.0');
  utimesSync(file, atime, mtime);
  assert.equal(statSync(file).size, size);
  const second = await start(root);
  assert.equal(second.out, '2.0');
  assert.notEqual(second.entry, first.entry);
  writeVersion(root, '1.0');
  assert.deepEqual(await start(root), first);
});

test('bundle: a folder of the sources becomes another by package.json → a bundle of its own', async () => {
  const root = createProgram('renamed');
  const first = await start(root);
  write(root, {
    'package.json': JSON.stringify({ type: 'module', imports: { '#core/*': './src/other/*' } }),
    'src/other/version.ts': `export const version: string = 'other';\n`,
  });
  const second = await start(root);
  assert.equal(second.out, 'other');
  assert.notEqual(second.entry, first.entry);
});

test('bundle: two starts at once, none made before → both start from one bundle, and nothing else is left', async () => {
  const root = createProgram('together');
  const starts = await Promise.all([start(root), start(root), start(root)]);
  assert.deepEqual(new Set(starts.map(({ out }) => out)), new Set(['1.0']));
  assert.equal(new Set(starts.map(({ entry }) => entry)).size, 1);
  assert.equal(listBundles(root).length, 1);
});

test('bundle: no folder can be written, no bundler for the platform, a source that it cannot read → the sources start', async () => {
  const blocked = createProgram('blocked');
  writeFileSync(join(blocked, 'node_modules', '.cache'), 'a file where the folder would be');
  const bare = createProgram('bare', { packages: [] });
  for (const root of [blocked, bare])
    assert.deepEqual(await start(root), { entry: join(root, 'src', 'cli', 'main.ts'), out: '1.0' });
  const broken = createProgram('broken');
  write(broken, { 'src/core/version.ts': 'export const version: string = ;' });
  assert.equal(await findEntry(broken), join(broken, 'src', 'cli', 'main.ts'));
  assert.deepEqual(listBundles(broken), []);
});

test('bundle: its files are empty, cut, missing or no folder → it is made again', async () => {
  const root = createProgram('damaged');
  const first = await start(root);
  const folder = dirname(first.entry);
  const damages: readonly (() => void)[] = [
    () => writeFileSync(first.entry, ''),
    () => truncateSync(first.entry, 10),
    () => truncateSync(join(folder, 'worker.mjs'), 10),
    () => rmSync(first.entry),
    () => writeFileSync(join(folder, 'files.txt'), ''),
    () => {
      rmSync(folder, { recursive: true });
      mkdirSync(folder);
    },
    () => {
      rmSync(folder, { recursive: true });
      writeFileSync(folder, '');
    },
  ];
  for (const damage of damages) {
    damage();
    assert.deepEqual(await start(root), first);
    assert.deepEqual(listBundles(root), [basename(folder)]);
  }
});

test('bundle: the package stands below node_modules and no folder can be written → the error names the folder', async () => {
  const root = createProgram('packages/node_modules/program');
  writeFileSync(join(root, 'node_modules', '.cache'), 'a file where the folder would be');
  await assert.rejects(findEntry(root), /mkdir '[^']*\/program\/node_modules\/\.cache\/bundles\//);
});

test('bundle: it was made → the bundler is gone, and its process was waited for', async () => {
  if (process.platform !== 'linux') return;
  const root = createProgram('childless');
  write(root, {
    'bin/print-entry.mjs': `${PRINT_ENTRY}
import { readdirSync, readFileSync } from 'node:fs';
for (const pid of readdirSync('/proc').filter((name) => /^\\d+$/.test(name))) {
  let stat = '';
  try { stat = readFileSync(\`/proc/\${pid}/stat\`, 'utf8'); } catch {}
  if (Number(stat.split(') ')[1]?.split(' ')[1]) === process.pid) console.log(stat);
}`,
  });
  assert.match(await findEntry(root), /^\S+\/main\.mjs$/);
});

test('bundle: an error is thrown → its stack names file and line of the source', async () => {
  const root = createProgram('failing');
  cpSync(join(ROOT, 'src', 'composition', 'source-stacks.ts'), join(root, 'src', 'cli', 'source-stacks.ts'));
  write(root, {
    'src/core/version.ts': `// Line 1.\nexport function fail(): never {\n  throw new TypeError('no');\n}\nexport const version = '1.0';\n`,
    'src/cli/main.ts': `import { fail } from '#core/version.ts';
import { nameSourcesInStacks } from './source-stacks.ts';
nameSourcesInStacks();
try { fail(); } catch (error) { console.log((error as Error).stack); }`,
  });
  const { entry, out } = await start(root);
  assert.match(entry, /main\.mjs$/);
  const [head, first, second] = out.split('\n');
  assert.equal(head, 'TypeError: no');
  assert.match(first ?? '', /^    at fail \(file:\S*\/failing\/src\/core\/version\.ts:3:9\)$/);
  assert.match(second ?? '', /^    at file:\S*\/failing\/src\/cli\/main\.ts:4:9$/);
});

test('bundle: many versions were started → the oldest bundles are removed', async () => {
  const root = createProgram('many');
  const bundles = join(root, 'node_modules', '.cache', 'bundles');
  for (let index = 0; index < 30; index += 1) {
    const old = join(bundles, `old-${index}`);
    mkdirSync(old, { recursive: true });
    utimesSync(old, index, index);
  }
  const { entry } = await start(root);
  const kept = listBundles(root);
  assert.equal(kept.length, 20);
  assert.ok(kept.includes('old-29') && !kept.includes('old-10'), kept.join());
  assert.ok(kept.some((name) => entry.includes(name)));
});

test('bundle: the clock was set back since the others were made → the one just made stays', async () => {
  const root = createProgram('clock');
  const bundles = join(root, 'node_modules', '.cache', 'bundles');
  const later = Date.now() / 1_000 + 1_000_000;
  for (let index = 0; index < 25; index += 1) {
    const made = join(bundles, `later-${index}`);
    mkdirSync(made, { recursive: true });
    utimesSync(made, later, later);
  }
  assert.equal((await start(root)).out, '1.0');
});

/** Puts what npm would pack into a folder of packages, with all other packages beside it. */
function copyPackage(): string {
  const packages = join(directory, 'installed', 'node_modules');
  const installed = join(packages, 'assayer');
  mkdirSync(packages, { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (!name.startsWith('.')) symlinkSync(join(ROOT, 'node_modules', name), join(packages, name));
  const files = execFileSync(
    'git',
    ['ls-files', '-z', 'bin', 'src', 'migrations', 'docs/guide', 'examples', 'package.json'],
    {
      cwd: ROOT,
      encoding: 'utf8',
    },
  );
  for (const file of files.split('\0').filter((name) => existsSync(join(ROOT, name)) && name !== ''))
    cpSync(join(ROOT, file), join(installed, file));
  return installed;
}

/** The commands of the processes that a process has started. */
function listChildren(pid: number): string[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      try {
        const [, parent] = /\) \S (\d+) /.exec(readFileSync(`/proc/${entry}/stat`, 'utf8')) ?? [];
        return Number(parent) === pid ? [readFileSync(`/proc/${entry}/cmdline`, 'utf8')] : [];
      } catch {
        // It went this moment.
        return [];
      }
    });
}

test('bundle: the package is installed beside its packages → starts from a bundle, although Node runs no TypeScript there, and no bundler stays', async (t) => {
  const installed = copyPackage();
  const dataDir = join(directory, 'data');
  copyPreparedCluster(join(dataDir, 'postgres'));
  const service = await startService(join(installed, 'bin', 'assayer.mjs'), ['start'], dataDir);
  t.after(() => service.child.kill('SIGKILL'));
  const health = await fetch(`${service.url}/api/v1/info/health`);
  assert.equal(health.status, 200);
  if (process.platform === 'linux')
    await waitUntil(
      () => !listChildren(service.pid).some((command) => command.includes('esbuild')),
      'the bundler to end',
      GONE_WITHIN_MS,
    );
  service.child.kill('SIGTERM');
  assert.equal(await service.ended, 0);
  assert.equal(listBundles(installed).length, 1);
});

/** Packages that a service needs with its first use alone; each takes megabytes and a tenth of a second or more. */
const LATE = [
  '@modelcontextprotocol/server',
  'better-auth',
  'better-call',
  'hyparquet-writer',
  'nodemailer',
  'stripe',
  'viem',
];

test('late modules: the service starts → it has loaded none of the packages of a first use', async () => {
  const folder = dirname(findOwnEntry());
  const start = readdirSync(folder).filter((name) => /^(?:main|start-\w+)\.mjs$/.test(name));
  const packages = listStaticPackages(folder, start);
  assert.ok(packages.has('fastify'), 'the files of the start were read');
  assert.deepEqual(
    LATE.filter((late) => [...packages].some((name) => name === late || name.startsWith(`${late}/`))),
    [],
  );
});

/** Packages that these files of a bundle import before they run, directly or through other files of it. */
function listStaticPackages(folder: string, names: readonly string[]): Set<string> {
  const packages = new Set<string>();
  const waiting = [...names];
  for (const name of waiting) {
    const text = readFileSync(join(folder, name), 'utf8');
    for (const [, specifier = ''] of text.matchAll(/^(?:import|\}|export).*?(?:from )?"([^"]+)";$/gm))
      if (!specifier.startsWith('./')) packages.add(specifier);
      else if (!waiting.includes(specifier.slice(2))) waiting.push(specifier.slice(2));
  }
  return packages;
}
