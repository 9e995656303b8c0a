/** Runs of the assays without a target, of known truth, seeded. */
import { analyzeExpressionSets } from '#analysis/assays/expression/expression.ts';
import { fitFourParameter } from '#analysis/assays/expression/four-parameter.ts';
import type { ExpressionSettingsInput } from '#analysis/assays/expression/settings.ts';
import { analyzeFluorescenceSets } from '#analysis/assays/fluorescence/fluorescence.ts';
import type { FluorescenceSettingsInput } from '#analysis/assays/fluorescence/settings.ts';
import { parseMelts, parsePlates } from '#analysis/formats/parse-wells.ts';
import { parseTraces } from '#analysis/formats/parse.ts';
import { analyzeMeltingSets } from '#analysis/assays/thermostability/melting.ts';
import type { MeltingSettingsInput } from '#analysis/assays/thermostability/settings.ts';
import { captureFile, standards, wells } from '#testing/analysis/capture.ts';
import { meltSet, meltTrace, type MeltWell } from '#testing/analysis/melts.ts';
import { normals, toFile, uniforms } from '#testing/analysis/synthetic.ts';
import type { PlateSet, WellRole } from '#analysis/curves/trace.ts';
import { WELL_ROLES } from '#analysis/curves/trace.ts';
import { runFiles } from '#sandbox/assays/run-files.ts';
import type { RunRequest } from '#sandbox/assays/simulated-assay.ts';
import { fluorescenceCases, meltCases } from '#testing/hard-assays.ts';
import type { FreezeCase } from './case.ts';
import { drawSequences } from './simulated-binding.ts';

export function listSimulatedAssayCases(): FreezeCase[] {
  return [
    ...listSandboxCases(),
    ...listMeltCases(),
    ...listHardMeltCases(),
    ...listCaptureCases(),
    ...listAbsorbanceCases(),
    ...listReaderCases(),
    ...listStandardCurveCases(),
  ];
}

function recordRun(
  experimentType: RunRequest['experimentType'],
  force: 'not_expressed' | 'spike' | 'no_loading' | undefined,
) {
  const request: RunRequest = {
    experimentCode: 'FREEZE-1',
    experimentType,
    method: 'bli',
    target: { id: '', name: '' },
    sequences: drawSequences(experimentType, force === undefined ? 40 : 6),
    nReplicates: 3,
    options: { force },
  };
  return [...runFiles(request)].map(({ fileName, bytes }) => ({ name: fileName, bytes }));
}

function listSandboxCases(): FreezeCase[] {
  const melting: [string, MeltingSettingsInput][] = [
    ['default', {}],
    ['two-state', { method: 'two_state' }],
    ['derivative', { method: 'derivative' }],
    ['330 nm', { channel: '330nm' }],
  ];
  const expression: [string, ExpressionSettingsInput][] = [
    ['default', {}],
    ['diluted, no subtraction', { subtractNoDna: false, dilutionFactor: 5 }],
  ];
  const fluorescence: [string, FluorescenceSettingsInput][] = [
    ['default', {}],
    ['corrected', { plateEffects: 'correct', reference: 'mean' }],
    ['saturating', { saturationSignal: 20_000 }],
  ];
  return ([undefined, 'not_expressed', 'spike', 'no_loading'] as const).flatMap((force) => {
    const at = (assay: string, rule: string) => `sandbox/${assay}/${force ?? 'natural'}/${rule}`;
    return [
      ...melting.map(([rule, settings]) => ({
        name: at('thermostability', rule),
        run: () => analyzeMeltingSets(parseMelts(recordRun('thermostability', force)), settings),
      })),
      ...expression.map(([rule, settings]) => ({
        name: at('expression', rule),
        run: () =>
          analyzeExpressionSets(
            { traces: parseTraces(recordRun('expression', force)), plates: [] },
            settings,
          ),
      })),
      ...fluorescence.map(([rule, settings]) => ({
        name: at('fluorescence', rule),
        run: () => analyzeFluorescenceSets(parsePlates(recordRun('fluorescence', force)), settings),
      })),
    ];
  });
}

const single = (tmC: number, more: Partial<MeltWell> = {}): Partial<MeltWell> => ({
  transitions: [{ tmC, dhKcalPerMol: 100, amplitude: 1 }],
  noiseSd: 0.005,
  ...more,
});
const several = (...tms: number[]): Partial<MeltWell> => ({
  transitions: tms.map((tmC) => ({ tmC, dhKcalPerMol: 110, amplitude: 1 })),
  noiseSd: 0.005,
});

function listShapes(): [string, Partial<MeltWell>][] {
  return [
    ['one', single(62)],
    ['noisy', single(60, { noiseSd: 0.03, rho: 0.7 })],
    ['sloped', single(55, { slopePerC: 0.01, slopeChangePerC: -0.006 })],
    ['falling', { transitions: [{ tmC: 66, dhKcalPerMol: 90, amplitude: -1 }], noiseSd: 0.004 }],
    ['near the end', single(92)],
    ['near the start', single(28)],
    ['two', several(50, 72)],
    ['two near each other', several(60, 66)],
    ['three', several(42, 58, 76)],
    ['none', { transitions: [], noiseSd: 0.01, bendPerC2: 1e-4 }],
    ['dye', single(58, { channel: 'dye', dyeFallPerC: 0.01 })],
    ['exact', single(61, { noiseSd: 0 })],
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
          meltTrace({
            transitions: [],
            ...truth,
            well: `A${replicate}`,
            sample: 'design',
            replicate,
            seed: replicate,
          }),
        );
        return analyzeMeltingSets([meltSet(traces)], settings);
      },
    })),
  );
  const shared = (['shared', 'free'] as const).map((baseline) => ({
    name: `melt/plate/${baseline}`,
    run: () => {
      const traces = shapes.map(([shape, truth], i) =>
        meltTrace({
          transitions: [],
          ...truth,
          channel: 'ratio',
          well: `B${i + 1}`,
          sample: shape,
          seed: i + 1,
        }),
      );
      const scattering = meltTrace({
        ...single(64, { noiseSd: 0.01 }),
        transitions: [{ tmC: 64, dhKcalPerMol: 150, amplitude: 5 }],
        channel: 'scattering',
        well: 'B1',
        sample: 'one',
      });
      return analyzeMeltingSets([meltSet([...traces, scattering])], { baseline, method: 'two_state' });
    },
  }));
  return [...apart, ...shared];
}

/** The pictures' hard cases, taken as what the instrument saw. */
function listHardMeltCases(): FreezeCase[] {
  return meltCases().map(([name, { curves }]) => ({
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
      return analyzeMeltingSets([meltSet(traces)]);
    },
  }));
}

function listCaptureCases(): FreezeCase[] {
  const samples = [0.2, 1, 3, 9, 27, 81, 243, 420, 900].flatMap((level, i) =>
    wells('sample', `design-${i}`, level, level * 1.15, level * 0.9),
  );
  const plates: [string, Parameters<typeof captureFile>[0], ExpressionSettingsInput][] = [
    ['usual', { sensors: [...standards(), ...wells('negative_control', 'No DNA', 0, 0), ...samples] }, {}],
    [
      'scattered',
      { sensors: [...standards(), ...wells('negative_control', 'No DNA', 1, 2), ...samples], cv: 0.06 },
      {},
    ],
    [
      'few levels',
      { sensors: [...standards([1, 5, 31.25, 195, 488]), ...samples], cv: 0.03 },
      { subtractNoDna: false, rateToS: 20 },
    ],
    ['no mass', { sensors: [...standards(), ...samples], standardMassDa: null }, {}],
  ];
  return plates.map(([name, plate, settings]) => ({
    name: `capture/${name}`,
    run: () => analyzeExpressionSets({ traces: parseTraces([captureFile(plate)]), plates: [] }, settings),
  }));
}

interface ReadWell {
  readonly well: string;
  readonly role: string;
  readonly sample: string;
  readonly value: number;
}

function writePlate(channel: string, read: readonly ReadWell[]) {
  const counts = new Map<string, number>();
  const contents = read.map(({ well, role, sample }) => {
    const replicate = (counts.get(`${role} ${sample}`) ?? 0) + 1;
    counts.set(`${role} ${sample}`, replicate);
    return `${well},${role},${sample},${replicate},,`;
  });
  const text = [
    '# assayer-plate: 1',
    '# plate: P1',
    '# unit: RFU',
    'well,role,sample,replicate,concentration_m,concentration_ng_per_ul',
    ...contents,
    '',
    'well,channel,ex_nm,em_nm,gain,value',
    ...read.map(({ well, value }) => `${well},${channel},,,,${value}`),
    '',
  ];
  return toFile('plate.csv', text.join('\n'));
}

const wellAt = (index: number): string => `${'ABCDEFGH'[Math.floor(index / 12)]}${(index % 12) + 1}`;

function listAbsorbanceCases(): FreezeCase[] {
  return (['none', 'all_paired'] as const).map((cystines) => ({
    name: `absorbance/${cystines}`,
    run: () => {
      const normal = normals(11);
      const read = Array.from({ length: 40 }, (_, i): ReadWell => {
        const isBlank = i < 6;
        const value = (isBlank ? 0.04 : 0.04 + 0.02 * Math.floor((i - 6) / 2)) + 0.001 * normal();
        return {
          well: wellAt(i),
          role: isBlank ? 'blank' : 'sample',
          sample: isBlank ? '' : `d${Math.floor((i - 6) / 2)}`,
          value,
        };
      });
      const sequences = Object.fromEntries(read.map(({ sample }) => [sample, 'MCAWCGYCKYCEYACGGSGGS']));
      const plates = parsePlates([writePlate('A280', read)]);
      return analyzeExpressionSets({ traces: [], plates, sequences }, { cystines });
    },
  }));
}

function listReaderCases(): FreezeCase[] {
  const effects: [string, (row: number, column: number) => number][] = [
    ['even', () => 1],
    ['row', (row) => (row === 3 ? 1.14 : 1)],
    ['edge', (row, column) => (row % 7 === 0 || column % 11 === 0 ? 1.2 : 1)],
  ];
  const placed = effects.flatMap(([effect, brighter]) =>
    (['flag', 'correct', 'off'] as const).map((plateEffects) => ({
      name: `reader/${effect}/${plateEffects}`,
      run: () => {
        const normal = normals(2);
        const read = Array.from({ length: 96 }, (_, i): ReadWell => {
          const [row, column] = [Math.floor(i / 12), i % 12];
          const kind = (column + 5 * row) % 12;
          const role =
            kind === 0
              ? 'positive_control'
              : kind === 1
                ? 'blank'
                : kind === 2
                  ? 'negative_control'
                  : 'sample';
          const level = kind === 1 ? 100 : kind === 2 ? 120 : 100 + 900 * kind + (kind === 0 ? 8_000 : 0);
          const value = level * brighter(row, column) * (1 + 0.02 * normal());
          const sample = ['ref', '', 'dark'][kind] ?? `d${kind}`;
          return { well: wellAt(i), role, sample, value };
        });
        return analyzeFluorescenceSets(parsePlates([writePlate('fluorescence', read)]), { plateEffects });
      },
    })),
  );
  const hard = fluorescenceCases().map(([name, { curves }]) => ({
    name: `hard/plate/${name}`,
    run: () => {
      const sets = curves.flatMap((curve): PlateSet[] => {
        if (curve.kind !== 'plate') return [];
        const readings = curve.well.map((well, i) => ({
          well,
          role: roleFrom(curve.role[i]),
          sample: curve.sample[i] ?? '',
          replicate: curve.sample_replicate[i] ?? 1,
          concentrationM: null,
          concentrationNgPerUl: null,
          channel: 'fluorescence',
          exNm: null,
          emNm: null,
          gain: null,
          value: curve.signal[i] ?? null,
          saturated: curve.saturated[i] ?? false,
        }));
        return [
          {
            format: 'test',
            instrument: null,
            plate: curve.plate,
            unit: 'RFU',
            metadata: {},
            notices: [],
            readings,
          },
        ];
      });
      return analyzeFluorescenceSets(sets);
    },
  }));
  return [...placed, ...hard];
}

function roleFrom(name: string | undefined): WellRole {
  return WELL_ROLES.find((role) => role === name) ?? 'sample';
}

function listStandardCurveCases(): FreezeCase[] {
  return Array.from({ length: 8 }, (_, i) => i + 1).map((seed) => ({
    name: `fit/four parameters/seed ${seed}`,
    run: () => {
      const [normal, uniform] = [normals(seed), uniforms(seed + 100)];
      const [slope, half] = [0.6 + uniform(), 10 ** (1 + 1.5 * uniform())];
      const points = [0, 0.5, 1, 2, 5, 12.5, 31.25, 78.125, 195, 488].flatMap((x) =>
        [1, 2].map(() => {
          const clean = x === 0 ? 0.001 : 0.06 + (0.001 - 0.06) / (1 + (x / half) ** slope);
          const sd = 0.0002 + 0.02 * clean;
          return { x, response: clean + sd * normal(), sd };
        }),
      );
      return fitFourParameter(points);
    },
  }));
}
