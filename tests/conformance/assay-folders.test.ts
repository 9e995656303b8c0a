/** What the folders and the registries of assays promise. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ASSAYS as ANALYZED } from '#analysis/assays/registry.ts';
import { assayNames } from '#domain/assays/registry.ts';
import { findShownAssay, requireShownAssay } from '#presentation/assays/registry.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** One registry for each layer, and the one of the freeze. */
const REGISTRIES = 8;

test('assay folders: files outside of them that name thermostability → the registries alone', () => {
  const files = globSync('{src,bin,scripts}/**/*.ts', { cwd: ROOT });
  assert.ok(files.length > 500);
  const naming = files.filter(
    (file) =>
      !file.includes('/assays/thermostability/') &&
      readFileSync(join(ROOT, file), 'utf8').includes('thermostability'),
  );
  assert.deepEqual(
    naming.filter((file) => !file.endsWith('/assays/registry.ts')),
    [],
  );
  assert.equal(naming.length, REGISTRIES);
});

test('registries: every assay that is sold → is analyzed and shown', () => {
  assert.deepEqual(Object.keys(ANALYZED).toSorted(), assayNames.toSorted());
  for (const name of assayNames) assert.ok(findShownAssay(name) !== undefined, name);
});

test('registries: an unknown assay → an error, never the figure of another assay', () => {
  assert.equal(findShownAssay('epitope_binning'), undefined);
  assert.throws(() => requireShownAssay('epitope_binning'), /results of epitope_binning cannot be shown/u);
});
