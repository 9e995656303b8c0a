/** What `npm ci` needs of the lockfile, without asking a registry. tests/nightly compares it with a clean resolution. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { describeMissingChain } from '#adapters/x402/anvil.ts';
import { ROOT } from '#testing/launcher.ts';

interface Entry {
  readonly name?: string;
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const text = readFileSync(join(ROOT, 'package-lock.json'), 'utf8');
const manifest: Entry = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const lockfile: { readonly packages: Readonly<Record<string, Entry>> } = JSON.parse(text);
const { packages } = lockfile;
/** The packages of a registry; a folder of this repository has neither a version of its own nor a digest. */
const installed = Object.entries(packages).filter(
  ([path, { link }]) => /(?:^|\/)node_modules\//.test(path) && link !== true,
);

/** Where Node would find a package that one at this path asks for. */
function find(path: string, name: string): Entry | undefined {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const found = packages[`${folder}${folder === '' ? '' : '/'}node_modules/${name}`];
    if (found !== undefined || folder === '') return found;
    if (!folder.includes('/node_modules/')) folder = '';
  }
}

test('lockfile: every dependency of every package on every platform → has its entry', () => {
  const missing: string[] = [];
  for (const [path, entry] of Object.entries(packages))
    for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies'] as const)
      for (const name of Object.keys(entry[kind] ?? {}))
        if (find(path, name) === undefined) missing.push(`${path || 'package.json'} needs ${name}`);
  assert.deepEqual(missing, []);
  // The check looks at something: packages of four operating systems at least are among the optional ones.
  const systems = new Set(installed.flatMap(([, { os }]) => (Array.isArray(os) ? os : [])).map(String));
  assert.ok(
    ['linux', 'darwin', 'win32', 'android'].every((name) => systems.has(name)),
    [...systems].join(),
  );
});

test('lockfile: package.json → agrees with the lockfile', () => {
  const { dependencies, devDependencies, optionalDependencies } = packages[''];
  const sort = (all: Entry['dependencies']) =>
    Object.entries(all ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  assert.deepEqual(sort(dependencies), sort(manifest.dependencies));
  assert.deepEqual(sort(devDependencies), sort(manifest.devDependencies));
  assert.deepEqual(sort(optionalDependencies), sort(manifest.optionalDependencies));
});

test('lockfile: each package → a version and a digest, but no registry', () => {
  for (const [path, { version, integrity, resolved }] of installed) {
    assert.match(version ?? '', /^\d+\.\d+\.\d+/, path);
    assert.match(integrity ?? '', /^sha512-[\w+/]{86}==$/, path);
    assert.equal(resolved, undefined, path);
  }
  assert.doesNotMatch(
    text,
    /"https?:\/\/(?!(?:[\w.-]*\.)?(?:github|opencollective|patreon|tidelift)\b)[^"]*\.tgz"/,
  );
});

test('install: scripts of packages → none runs, and our own npm scripts run', () => {
  const settings = readFileSync(join(ROOT, '.npmrc'), 'utf8').split('\n');
  assert.ok(settings.includes('ignore-scripts=true'));
  assert.ok(settings.includes('omit-lockfile-registry-resolved=true'));
  assert.ok(settings.includes('save=false'));
  // With scripts off, npm leaves out what stands before and after a script of ours, so there may be no such thing.
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const hooks = Object.keys(scripts).filter((name) => /^(?:pre|post|install$|prepare$)/.test(name));
  assert.deepEqual(hooks, []);
});

test('install: the compiler → comes with the packages of the tests, and no peer brings it to run the service', () => {
  // The library of the chain names the compiler as an optional peer: what stands in its place is an empty folder.
  const folder = 'scripts/no-compiler';
  assert.equal(manifest.devDependencies?.['typescript'], `file:${folder}`);
  assert.deepEqual(packages['node_modules/typescript'], { resolved: folder, link: true });
  const compilers = installed.filter(([path, { name = '' }]) =>
    /(?:^|\/)(?:@typescript\/typescript-[\w-]+|typescript)$/.test(name === '' ? path : name),
  );
  assert.ok(compilers.some(([path]) => path === 'node_modules/typescript-compiler'));
  assert.deepEqual(
    compilers.filter(([, { dev }]) => dev !== true).map(([path]) => path),
    [],
  );
});

test('install: the local chain → comes with the packages of the tests, on platforms that have it, and not without them', () => {
  const folder = 'src/adapters/x402/local-chain';
  assert.equal(manifest.devDependencies?.['assayer-local-chain'], `file:${folder}`);
  assert.deepEqual(packages['node_modules/assayer-local-chain'], { resolved: folder, link: true });
  const local: Entry = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
  assert.deepEqual(packages[folder]?.optionalDependencies, local.optionalDependencies);
  for (const [name, version] of Object.entries(local.optionalDependencies ?? {})) {
    const { dev, optional, version: locked } = packages[`node_modules/${name}`] ?? {};
    assert.deepEqual([dev, optional, locked], [true, true, version], name);
  }
  // npm 9.0 to 9.4 would copy the folder instead, and miss the copy in the lockfile.
  assert.ok(readFileSync(join(ROOT, '.npmrc'), 'utf8').split('\n').includes('install-links=false'));
});

test('local chain: its package is missing → the sentence names the command that fits this installation', () => {
  const name = '@foundry-rs/anvil-darwin-arm64';
  assert.match(
    describeMissingChain(name, false),
    /"npm install --no-save --omit=dev @foundry-rs\/anvil-darwin-arm64@\d+\.\d+\.\d+"/,
  );
  assert.match(
    describeMissingChain(name, true),
    /"npm install --no-save @foundry-rs\/anvil-darwin-arm64@\d+\.\d+\.\d+"/,
  );
});
