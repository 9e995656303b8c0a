/** What the folders and the registries of assays promise. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ENGINES as ANALYZED } from '#assays/engines.ts';
import { listAssayNames, hasTarget, type AssayName } from '#assays/registry.ts';
import { findShownAssay, requireShownAssay } from '#assays/shown.ts';
import { findSimulatedAssay } from '#assays/simulated.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** The one of the service, and the one of the freeze. */
const REGISTRY = /^(?:src|scripts\/freeze)\/assays\/registry\.ts$/;
const OF_SERVICE = 'src/assays/registry.ts';

/** Files that name an assay outside of its folders, and why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'scripts/calibrate/simulate.ts': 'It measures how often the intervals of this assay hold the truth.',
  'scripts/compare-versions/fill.ts': 'It orders experiments as a client does.',
  'scripts/freeze/published.ts': 'It freezes the analysis of published measurements of this assay.',
  'scripts/freeze/simulated-assays.ts': 'It freezes the analysis of simulated measurements of this assay.',
  'scripts/freeze/simulated-binding.ts': 'It freezes the analysis of simulated measurements of this assay.',
  'scripts/freeze/subjects.ts': 'It orders experiments as a client does.',
  'scripts/screenshots.ts': 'It orders experiments as a client does.',
  'src/assays/binding/engine/sequence.ts': 'The word is a member of a record.',
  'src/analysis/curves/trace.ts': 'The word is an example of the name of a read.',
  'src/analysis/formats/plate-blocks/plate-blocks.ts': 'The word is the name of a read of the instrument.',
  'src/analysis/formats/prometheus/prometheus.ts': 'The word is the name of a read of the instrument.',
  'src/core/filter/list.ts': 'The word is that of an expression in SQL.',
  'src/core/write-rows.ts': 'The word is that of an expression in SQL.',
  'src/features/controls/contract.ts': 'The contract shows a chart of this assay.',
  'src/features/experiments/examples.ts': 'The contract shows an order of this assay.',
  'src/features/experiments/records.ts': 'The contract says which assays take a field.',
  'src/features/queue/contract.ts': 'The contract shows an order of this assay.',
  'src/features/runs/run-contract.ts': 'The contract shows a run of this assay.',
  'src/features/results/assessment.ts': 'Of this assay alone the absence of protein is an answer.',
  'src/features/results/binding-row.ts': 'The contract calls the row of both binding assays by this name.',
  'src/features/results/contract.ts': 'The contract shows an overview of this assay.',
  'src/features/results/examples.ts': 'The contract shows a result of this assay.',
  'src/sandbox/models/latent.ts': 'The word is a property of a protein that is simulated.',
  'src/sandbox/models/plates.ts': 'The usual dilution series of the simulated lab.',
  'src/sandbox/models/truth.ts': 'The word is a property of a protein that is simulated.',
};

/** In code: the name as a text, or the path of its folder. */
function findFilesNaming(name: AssayName): string[] {
  const files = globSync('{src,bin,scripts}/**/*.ts', { cwd: ROOT });
  assert.ok(files.length > 500);
  const own = [`/assays/${name}/`, ...(hasTarget(name) ? ['/assays/binding/'] : [])];
  const naming = new RegExp(`(['"\`])${name}\\1|/${name}/`);
  return files.filter(
    (file) =>
      !file.endsWith('.test.ts') &&
      !own.some((folder) => file.includes(folder)) &&
      naming.test(readFileSync(join(ROOT, file), 'utf8')),
  );
}

for (const name of listAssayNames()) {
  test(`assay folders: files outside of them that name ${name} → the registry, and files with a reason`, () => {
    const naming = findFilesNaming(name);
    const registries = new Set(naming.filter((file) => REGISTRY.test(file)));
    const others = naming.filter((file) => !registries.has(file));
    assert.deepEqual(
      others.filter((file) => !Object.hasOwn(EXCEPTIONS, file)),
      [],
    );
    assert.ok(registries.has(OF_SERVICE));
  });
}

test('assay folders: each file with a reason → names an assay', () => {
  const naming = new Set(listAssayNames().flatMap(findFilesNaming));
  assert.deepEqual(
    Object.keys(EXCEPTIONS).filter((file) => !naming.has(file)),
    [],
  );
});

test('assay folders: files outside of them that name thermostability in whatever words → the registry alone', () => {
  const naming = globSync('{src,bin,scripts}/**/*.ts', { cwd: ROOT }).filter(
    (file) =>
      !file.includes('/assays/thermostability/') &&
      readFileSync(join(ROOT, file), 'utf8').includes('thermostability'),
  );
  assert.deepEqual(
    naming.filter((file) => !REGISTRY.test(file)),
    [],
  );
});

test('assay folders: what affinity and screening share → imports neither of them', () => {
  const shared = globSync('src/**/assays/binding/**/*.ts', { cwd: ROOT }).filter(
    (file) => !file.endsWith('.test.ts'),
  );
  assert.ok(shared.length > 30);
  const importing = shared.filter((file) =>
    /from '[^']*\/(?:affinity|screening)\//.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  assert.deepEqual(importing, []);
});

test('registries: every assay that is sold → is analyzed, shown and simulated', () => {
  assert.deepEqual(Object.keys(ANALYZED).toSorted(), listAssayNames().toSorted());
  for (const name of listAssayNames()) {
    assert.ok(findShownAssay(name) !== undefined, name);
    assert.ok(findSimulatedAssay(name) !== undefined, name);
  }
});

test('registries: an unknown assay → an error, never the figure or the plates of another assay', () => {
  assert.equal(findShownAssay('epitope_binning'), undefined);
  assert.throws(() => requireShownAssay('epitope_binning'), /results of epitope_binning cannot be shown/u);
  assert.equal(findSimulatedAssay('epitope_binning'), undefined);
});
