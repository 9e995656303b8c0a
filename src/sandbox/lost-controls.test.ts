/** Controls that a file names and that people take away: by a review, a mapping or a setting, in every assay. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRecord } from '#core/records.ts';
import { analyzeHere } from '#analysis/assays/assay.ts';
import type { Assay, AssayRun } from '#analysis/assays/assay.ts';
import { countControls, flagLostControls } from '#analysis/assays/exclusions.ts';
import { ENGINES } from '#assays/engines.ts';
import type { AssayName } from '#assays/registry.ts';
import { listStatedControls } from '#analysis/curves/trace.ts';
import type { Flag } from '#analysis/quality/flags.ts';
import { createFiles, createRequest } from '#testing/sandbox/requests.ts';

interface Told {
  readonly plate: string;
  readonly pass: boolean;
  readonly flags: readonly Flag[];
}

interface Sequence {
  readonly flags: readonly Flag[];
  readonly replicates: readonly { readonly plate: string; readonly flags: readonly Flag[] }[];
}

interface Analysis {
  readonly plates: readonly Told[];
  readonly sequences: readonly Sequence[];
}

type Change = Partial<Pick<AssayRun, 'settings' | 'mapping' | 'excluded' | 'plannedControls'>>;

interface Simulated {
  readonly controls: readonly {
    readonly id: string;
    readonly plate: string;
    readonly sample: string;
    readonly replicate: number;
  }[];
  readonly analyze: (change?: Change) => Analysis;
}

function simulate(name: AssayName): Simulated {
  const request = createRequest(name, { nReplicates: 2 });
  const sequences = request.sequences.slice(0, 2);
  const files = createFiles({ ...request, sequences });
  const assay: Assay = ENGINES[name];
  const { traces, melts, plates } = assay.read(files);
  const measured = [
    ...traces.flatMap((set) => set.traces.map((each) => ({ ...each, plate: set.plate }))),
    ...melts.flatMap((set) => set.traces.map((each) => ({ ...each, id: each.well, plate: set.plate }))),
    ...plates.flatMap((set) => set.readings.map((each) => ({ ...each, id: each.well, plate: set.plate }))),
  ].filter(({ role, concentrationM }) => role === 'positive_control' && concentrationM !== 0);
  const aa = Object.fromEntries(sequences.map(({ name: sample, aaString }) => [sample, aaString]));
  return {
    controls: measured.map(({ id, plate, sample, replicate }) => ({
      id,
      plate: String(plate),
      sample,
      replicate,
    })),
    analyze: (change = {}) => {
      const answer = analyzeHere(assay, { files, sequences: aa, ...change });
      const found = isRecord(answer) && isRecord(answer.found) ? answer.found : answer;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what every assay finds
      return found as Analysis;
    },
  };
}

const findLoss = (flags: readonly Flag[]): Flag | undefined =>
  flags.find(({ code, severity }) => code === 'CONTROL_MISSING' && severity === 'warning');

/** Every plate fails, and every replicate and sequence on it says by name what is missing. */
function assertTold({ plates, sequences }: Analysis, name: string): void {
  assert.ok(plates.length > 0 && sequences.length > 0);
  for (const { pass, flags } of plates) {
    assert.equal(pass, false);
    assert.ok(findLoss(flags)?.message.includes(name), findLoss(flags)?.message ?? 'not told');
  }
  for (const { flags, replicates } of sequences) {
    assert.ok(findLoss(flags) !== undefined);
    for (const each of replicates) assert.ok(findLoss(each.flags) !== undefined);
  }
}

const NAMES = Object.keys(ENGINES).filter((name): name is AssayName => Object.hasOwn(ENGINES, name));

for (const name of NAMES)
  describe(`CONTROL_MISSING: ${name}`, () => {
    const { controls, analyze } = simulate(name);
    const [{ sample }] = controls;
    const others = { plate: null, well: null, sample, sequence: null, replicate: null };

    test('CONTROL_MISSING: nobody takes a control away → no warning', () => {
      for (const { flags } of [...analyze().plates, ...analyze().sequences])
        assert.equal(findLoss(flags), undefined);
    });

    test('CONTROL_MISSING: a review leaves the positive control out → a warning on every result of its plate', () => {
      const excluded = controls.map(({ plate, replicate }) => ({
        sample,
        plate,
        replicate,
        well: null,
        concentrationM: null,
      }));
      assertTold(analyze({ excluded }), sample);
    });

    test('CONTROL_MISSING: a mapping leaves the positive control out, or calls it a sample → the same warning', () => {
      for (const role of ['left_out', 'sample'] as const)
        assertTold(analyze({ mapping: [{ ...others, role }] }), sample);
    });

    if ('assign' in ENGINES[name].resolveSettings({}))
      test('CONTROL_MISSING: the setting assign leaves the positive control out, or calls it a sample → the same warning', () => {
        for (const assignment of [{ exclude: true }, { role: 'sample' }]) {
          const assign = Object.fromEntries(controls.map(({ plate, id }) => [`${plate}/${id}`, assignment]));
          assertTold(analyze({ settings: { assign } }), sample);
        }
      });
  });

describe('CONTROL_MISSING', () => {
  const createWell = (well: string, role: string, sample: string) => ({
    well,
    role,
    sample,
    concentrationM: null,
  });
  const STATED = listStatedControls([
    createWell('A1', 'positive_control', 'wt'),
    createWell('A2', 'positive_control', 'wt'),
    ...['B1', 'B2', 'B3', 'B4', 'B5', 'B6', 'B7', 'B8'].map((well) =>
      createWell(well, 'negative_control', 'No DNA'),
    ),
    createWell('C1', 'sample', 'design'),
  ]);
  const describeLoss = (
    lost: readonly string[],
    planned?: Parameters<typeof flagLostControls>[2]['planned'],
    stated = STATED,
  ): string | null => {
    const plate = { plate: 'P1', pass: true, flags: [] as Flag[] };
    const kept = stated.filter(({ id }) => !lost.includes(id));
    flagLostControls([plate], [], { controls: [countControls('P1', stated, kept)], planned });
    return findLoss(plate.flags)?.message ?? null;
  };

  test('CONTROL_MISSING: one of two positive controls is left out → told, because it may be the one that failed', () => {
    assert.match(
      describeLoss(['A1']) ?? '',
      /^Of 2 measurements of the positive control on P1, 1 \(wt\) was/,
    );
  });

  test('CONTROL_MISSING: over a quarter of the negative controls is left out → told; a quarter → not', () => {
    assert.equal(describeLoss(['B1', 'B2']), null);
    assert.match(describeLoss(['B1', 'B2', 'B3']) ?? '', /3 \(No DNA\) were left out/);
  });

  test('CONTROL_MISSING: the plan has a control that the files do not → told; one of another plate → not', () => {
    const planned = [{ plate: 'P1', role: 'positive_control', sample: 'wt' }] as const;
    assert.equal(describeLoss([], planned), null);
    assert.match(describeLoss([], planned, []) ?? '', /although the plan has wt/);
    const two = [
      { ...planned[0], plate: 'P2' },
      { ...planned[0], plate: 'P3' },
    ];
    assert.equal(describeLoss([], two, []), null);
  });
});
