import { isAssay } from '#assays/registry.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runFiles } from '../run-files.ts';
import { analyzeHere, type Assay } from '#analysis/assays/assay.ts';
import type { ExcludedReplicate } from '#analysis/assays/exclusions.ts';
import { ENGINES } from '#assays/engines.ts';

const SEQUENCES = ['one', 'two'].map((name, index) => ({
  id: name,
  name,
  aaString: `QVQLVESGGGLVQAGGSLRLSCAASGRTFSSYAMGWFRQAPGKEREFVAAISWSGGSTYYADSVKG${'AC'[index]}`,
  isControl: false,
}));

interface Found {
  readonly sample: string;
  readonly replicates: readonly {
    replicate: number;
    plate: string;
    well?: string | null;
    concentrationsM?: readonly number[];
  }[];
}

function analyze(type: keyof typeof ENGINES, excluded: readonly ExcludedReplicate[]): Found[] {
  const plates = runFiles({
    experimentCode: 'EXC-001',
    experimentType: type,
    method: 'bli',
    target: { id: 'excluded', name: 'antigen' },
    sequences: SEQUENCES,
    nReplicates: 3,
    options: { force: 'binder' },
  });
  const files = [...plates].map(({ fileName, bytes }) => ({ name: fileName, bytes }));
  const sequences = Object.fromEntries(SEQUENCES.map(({ name, aaString }) => [name, aaString]));
  const assay: Assay = ENGINES[type];
  const result = analyzeHere(assay, { files, sequences, excluded });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the analysis of every assay has in common
  const { found = result } = result as { found?: unknown };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  return (found as { sequences: Found[] }).sequences;
}

for (const type of Object.keys(ENGINES).filter(isAssay)) {
  test(`exclusions: a replicate of ${type} is left out → the others stay, and the other sequence keeps all`, () => {
    const before = analyze(type, []);
    const [one, two] = before;
    const left = one?.replicates[1];
    assert.ok(one !== undefined && two !== undefined && left !== undefined);
    const { replicate, plate, well = null } = left;
    const after = analyze(type, [{ sample: one.sample, plate, replicate, well, concentrationM: null }]);
    const list = (found: readonly Found[], sample: string) =>
      found.find((each) => each.sample === sample)?.replicates.map((each) => each.replicate);
    assert.deepEqual(
      list(after, one.sample),
      one.replicates.filter((each) => each !== left).map((each) => each.replicate),
    );
    assert.deepEqual(list(after, two.sample), list(before, two.sample));
  });

  test(`settings_invalid: an excluded replicate of ${type} is in no file → refused by name`, () => {
    const unknown = { sample: 'one', plate: 'no such plate', replicate: 1, well: null, concentrationM: null };
    assert.throws(() => analyze(type, [unknown]), /one replicate 1 on no such plate/);
  });
}

test('exclusions: one concentration of a titration is left out → the fit takes the others, and its curve is drawn as excluded', () => {
  const [one, two] = analyze('affinity', []);
  const left = one?.replicates[0];
  assert.ok(one !== undefined && two !== undefined && left !== undefined);
  const { replicate, plate, concentrationsM = [] } = left;
  const [lowest = 0, ...others] = concentrationsM;
  const dose = { sample: one.sample, plate, replicate, well: null, concentrationM: lowest };
  const after = analyze('affinity', [dose]);
  const changed = after.find((each) => each.sample === one.sample)?.replicates[0];
  assert.deepEqual(changed?.concentrationsM, others);
  const [first] = after.find((each) => each.sample === two.sample)?.replicates ?? [];
  assert.deepEqual(first?.concentrationsM, two.replicates[0]?.concentrationsM);
  assert.throws(
    () => analyze('affinity', [{ ...dose, concentrationM: 4 * Math.max(...concentrationsM) }]),
    /replicate 1 on .+ µM\. Accept them again/,
  );
  const both = analyze('affinity', [dose, { ...dose, concentrationM: null }]);
  assert.equal(both.find((each) => each.sample === one.sample)?.replicates.length, one.replicates.length - 1);
});
