/** Melting curves, published and simulated. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyzeMeltingSets } from '#assays/thermostability/engine/melting.ts';
import type { MeltingSettingsInput } from '#assays/thermostability/engine/settings.ts';
import type { MeltSet } from '#analysis/curves/trace.ts';
import { parseMelts } from '#analysis/formats/parse-wells.ts';
import { createMeltSet, createMeltTrace, type MeltWell } from '#testing/analysis/melts.ts';
import { createMeltCases } from '#testing/hard-assays.ts';
import type { FreezeCase } from '../../case.ts';
import { readTable } from '../../published.ts';
import { FORCES, formatSandboxCase, recordRun } from '../../record-run.ts';

export function listThermostabilityCases(folder: string): FreezeCase[] {
  return [
    ...listG3bp1Cases(folder),
    ...listMeltFileCases(folder),
    ...listSandboxMeltCases(),
    ...listMeltCases(),
    ...listHardMeltCases(),
  ];
}

function listSandboxMeltCases(): FreezeCase[] {
  const rules: [string, MeltingSettingsInput][] = [
    ['default', {}],
    ['two-state', { method: 'two_state' }],
    ['derivative', { method: 'derivative' }],
    ['330 nm', { channel: '330nm' }],
  ];
  return FORCES.flatMap((force) =>
    rules.map(([rule, settings]) => ({
      name: formatSandboxCase('thermostability', force, rule),
      run: () => analyzeMeltingSets(parseMelts(recordRun('thermostability', force)), settings),
    })),
  );
}

const createSingle = (tmC: number, more: Partial<MeltWell> = {}): Partial<MeltWell> => ({
  transitions: [{ tmC, dhKcalPerMol: 100, amplitude: 1 }],
  noiseSd: 0.005,
  ...more,
});
const createSeveral = (...tms: number[]): Partial<MeltWell> => ({
  transitions: tms.map((tmC) => ({ tmC, dhKcalPerMol: 110, amplitude: 1 })),
  noiseSd: 0.005,
});

function listShapes(): [string, Partial<MeltWell>][] {
  return [
    ['one', createSingle(62)],
    ['noisy', createSingle(60, { noiseSd: 0.03, rho: 0.7 })],
    ['sloped', createSingle(55, { slopePerC: 0.01, slopeChangePerC: -0.006 })],
    ['falling', { transitions: [{ tmC: 66, dhKcalPerMol: 90, amplitude: -1 }], noiseSd: 0.004 }],
    ['near the end', createSingle(92)],
    ['near the start', createSingle(28)],
    ['two', createSeveral(50, 72)],
    ['two near each other', createSeveral(60, 66)],
    ['three', createSeveral(42, 58, 76)],
    ['none', { transitions: [], noiseSd: 0.01, bendPerC2: 1e-4 }],
    ['dye', createSingle(58, { channel: 'dye', dyeFallPerC: 0.01 })],
    ['exact', createSingle(61, { noiseSd: 0 })],
  ];
}

function listMeltCases(): FreezeCase[] {
  const shapes = listShapes();
  const rules: [string, MeltingSettingsInput][] = [
    ['auto', {}],
    ['two-state', { method: 'two_state' }],
    ['boltzmann', { method: 'boltzmann' }],
    ['derivative', { method: 'derivative', derivativeHalfWindowC: 2 }],
    ['heat capacity', { method: 'two_state', deltaCpKcalPerMolK: 2 }],
    ['window', { temperatureMinC: 35, temperatureMaxC: 85 }],
  ];
  const apart = shapes.flatMap(([shape, truth]) =>
    rules.map(([rule, settings]) => ({
      name: `melt/${shape}/${rule}`,
      run: () => {
        const traces = [1, 2, 3].map((replicate) =>
          createMeltTrace({
            transitions: [],
            ...truth,
            well: `A${replicate}`,
            sample: 'design',
            replicate,
            seed: replicate,
          }),
        );
        return analyzeMeltingSets([createMeltSet(traces)], settings);
      },
    })),
  );
  const shared = (['shared', 'free'] as const).map((baseline) => ({
    name: `melt/plate/${baseline}`,
    run: () => {
      const traces = shapes.map(([shape, truth], i) =>
        createMeltTrace({
          transitions: [],
          ...truth,
          channel: 'ratio',
          well: `B${i + 1}`,
          sample: shape,
          seed: i + 1,
        }),
      );
      const scattering = createMeltTrace({
        ...createSingle(64, { noiseSd: 0.01 }),
        transitions: [{ tmC: 64, dhKcalPerMol: 150, amplitude: 5 }],
        channel: 'scattering',
        well: 'B1',
        sample: 'one',
      });
      return analyzeMeltingSets([createMeltSet([...traces, scattering])], { baseline, method: 'two_state' });
    },
  }));
  return [...apart, ...shared];
}

/** The pictures' hard cases, taken as what the instrument saw. */
function listHardMeltCases(): FreezeCase[] {
  return createMeltCases().map(([name, { curves }]) => ({
    name: `hard/melt/${name}`,
    run: () => {
      const traces = curves.flatMap((curve, i) => {
        if (curve.kind !== 'melt') return [];
        const content = { well: `A${i + 1}`, role: 'sample' as const, sample: 'design', replicate: i + 1 };
        return {
          ...content,
          concentrationM: null,
          concentrationNgPerUl: null,
          channel: curve.channel,
          temperatureC: Float64Array.from(curve.temperature_c),
          signal: Float64Array.from(curve.signal, (value) => value ?? 0),
        };
      });
      return analyzeMeltingSets([createMeltSet(traces)]);
    },
  }));
}

function readTitrationOfMelts(folder: string): MeltSet {
  const rows = readTable(join(folder, 'nanodsf_g3bp1', 'data1_CAP_PH7_330nm', 'fluo_signal_data.csv'));
  const byCurve = [...Map.groupBy(rows, (row) => Number(row[3]))].sort(([a], [b]) => a - b);
  return createMeltSet(
    byCurve.map(([concentrationM, points], i) => ({
      well: `C${i + 1}`,
      role: 'sample',
      sample: 'G3BP1',
      replicate: 1,
      concentrationM,
      concentrationNgPerUl: null,
      channel: '330nm',
      temperatureC: Float64Array.from(points, (row) => Number(row[0])),
      signal: Float64Array.from(points, (row) => Number(row[2])),
    })),
  );
}

function listG3bp1Cases(folder: string): FreezeCase[] {
  const rules: [string, MeltingSettingsInput][] = [
    [
      'slopes fixed',
      { method: 'two_state', baseline: 'fixed', fixedSlopes: { foldedPerC: -10.3, unfoldedPerC: -12.1 } },
    ],
    ['slopes shared', { method: 'two_state', baseline: 'shared' }],
    ['slopes free', { method: 'two_state', baseline: 'free' }],
    ['auto', {}],
    ['derivative', { method: 'derivative' }],
    ['heat capacity', { method: 'two_state', deltaCpKcalPerMolK: 1.5 }],
  ];
  return rules.map(([rule, settings]) => ({
    name: `published/g3bp1/${rule}`,
    run: () => analyzeMeltingSets([readTitrationOfMelts(folder)], settings),
  }));
}

const MELT_FILES = [
  'dsfworld/dsfworld_sample_raw_data_format.csv',
  'dsfworld/sample_file.csv',
  'dsfworld/sample_data_file.csv',
  'pychemelt/MX3005P.txt',
  'pychemelt/quantStudio.txt',
  'pychemelt/melting-scan.csv',
  'pychemelt/UNCLE_multi_channel.xlsx',
];

function listMeltFileCases(folder: string): FreezeCase[] {
  const methods = ['auto', 'boltzmann', 'derivative'] as const;
  return MELT_FILES.flatMap((name) =>
    methods.map((method) => ({
      name: `published/${name}/${method}`,
      run: () =>
        analyzeMeltingSets(parseMelts([{ name, bytes: readFileSync(join(folder, name)) }]), { method }),
    })),
  );
}
