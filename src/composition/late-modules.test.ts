/** Modules that load late, once the service is ready. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { loadLateModules } from './late-modules.ts';

test('late modules: a service is ready → the library of sign-in is made, so that no first request waits for it', async () => {
  let made = 0;
  const people = { loadLibrary: () => Promise.resolve((made += 1)) };
  await loadLateModules({ people }, new AbortController().signal);
  assert.equal(made, 1);
});

const BUNDLE = new URL('../../bin/bundle.mjs', import.meta.url).href;
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
  const { findEntry }: { findEntry(): string } = await import(BUNDLE);
  const folder = dirname(findEntry());
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
