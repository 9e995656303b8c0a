import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const PAGES = join(import.meta.dirname, '../../src/transports/pages');
/** Attributes of WAI-ARIA 1.2 that the pages use. */
const KNOWN = new Set([
  'aria-current',
  'aria-describedby',
  'aria-hidden',
  'aria-invalid',
  'aria-label',
  'aria-labelledby',
]);

test('pages: any ARIA attribute in their sources → is one that browsers know', () => {
  const found = globSync('**/*.ts', { cwd: PAGES }).flatMap((file) =>
    [...readFileSync(join(PAGES, file), 'utf8').matchAll(/\baria-[a-z]+/g)].map(([name]) => name),
  );
  assert.ok(found.includes('aria-labelledby'));
  assert.deepEqual(
    [...new Set(found)].filter((name) => !KNOWN.has(name)),
    [],
  );
});
