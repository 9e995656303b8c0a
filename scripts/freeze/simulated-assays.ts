/** Runs of the assays without a target, of known truth, seeded. */
import { analyzeExpressionSets } from '#assays/expression/engine/expression.ts';
import { fitFourParameter } from '#assays/expression/engine/four-parameter.ts';
import type { ExpressionSettingsInput } from '#assays/expression/engine/settings.ts';
import { analyzeFluorescenceSets } from '#assays/fluorescence/engine/fluorescence.ts';
import type { FluorescenceSettingsInput } from '#assays/fluorescence/engine/settings.ts';
import { parsePlates } from '#analysis/formats/parse-wells.ts';
import { parseTraces } from '#analysis/formats/parse.ts';
import { writeCaptureFile, createStandards, createWells } from '#testing/analysis/capture.ts';
import { createNormals, toFile, createUniforms } from '#testing/analysis/synthetic.ts';
import type { PlateSet, WellRole } from '#analysis/curves/trace.ts';
import { WELL_ROLES } from '#analysis/curves/trace.ts';
import { listFluorescenceCases } from '#testing/hard-assays.ts';
import type { FreezeCase } from './case.ts';
import { FORCES, formatSandboxCase, recordRun } from './record-run.ts';

export function listSimulatedAssayCases(): FreezeCase[] {
  return [
    ...listSandboxCases(),
    ...listCaptureCases(),
    ...listAbsorbanceCases(),
    ...listReaderCases(),
    ...listStandardCurveCases(),
  ];
}

function listSandboxCases(): FreezeCase[] {
  const expression: [string, ExpressionSettingsInput][] = [
    ['default', {}],
    ['diluted, no subtraction', { subtractNoDna: false, dilutionFactor: 5 }],
  ];
  const fluorescence: [string, FluorescenceSettingsInput][] = [
    ['default', {}],
    ['corrected', { plateEffects: 'correct', reference: 'mean' }],
    ['saturating', { saturationSignal: 20_000 }],
  ];
  return FORCES.flatMap((force) => {
    const at = (assay: string, rule: string) => formatSandboxCase(assay, force, rule);
    return [
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

function listCaptureCases(): FreezeCase[] {
  const samples = [0.2, 1, 3, 9, 27, 81, 243, 420, 900].flatMap((level, i) =>
    createWells('sample', `design-${i}`, level, level * 1.15, level * 0.9),
  );
  const plates: [string, Parameters<typeof writeCaptureFile>[0], ExpressionSettingsInput][] = [
    [
      'usual',
      { sensors: [...createStandards(), ...createWells('negative_control', 'No DNA', 0, 0), ...samples] },
      {},
    ],
    [
      'scattered',
      {
        sensors: [...createStandards(), ...createWells('negative_control', 'No DNA', 1, 2), ...samples],
        cv: 0.06,
      },
      {},
    ],
    [
      'few levels',
      { sensors: [...createStandards([1, 5, 31.25, 195, 488]), ...samples], cv: 0.03 },
      { subtractNoDna: false, rateToS: 20 },
    ],
    ['no mass', { sensors: [...createStandards(), ...samples], standardMassDa: null }, {}],
  ];
  return plates.map(([name, plate, settings]) => ({
    name: `capture/${name}`,
    run: () =>
      analyzeExpressionSets({ traces: parseTraces([writeCaptureFile(plate)]), plates: [] }, settings),
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

const formatWell = (index: number): string => `${'ABCDEFGH'[Math.floor(index / 12)]}${(index % 12) + 1}`;

function listAbsorbanceCases(): FreezeCase[] {
  return (['none', 'all_paired'] as const).map((cystines) => ({
    name: `absorbance/${cystines}`,
    run: () => {
      const normal = createNormals(11);
      const read = Array.from({ length: 40 }, (_, i): ReadWell => {
        const isBlank = i < 6;
        const value = (isBlank ? 0.04 : 0.04 + 0.02 * Math.floor((i - 6) / 2)) + 0.001 * normal();
        return {
          well: formatWell(i),
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
        const normal = createNormals(2);
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
          return { well: formatWell(i), role, sample, value };
        });
        return analyzeFluorescenceSets(parsePlates([writePlate('fluorescence', read)]), { plateEffects });
      },
    })),
  );
  const hard = listFluorescenceCases().map(([name, { curves }]) => ({
    name: `hard/plate/${name}`,
    run: () => {
      const sets = curves.flatMap((curve): PlateSet[] => {
        if (curve.kind !== 'plate') return [];
        const readings = curve.well.map((well, i) => ({
          well,
          role: parseRole(curve.role[i]),
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

function parseRole(name: string | undefined): WellRole {
  return WELL_ROLES.find((role) => role === name) ?? 'sample';
}

function listStandardCurveCases(): FreezeCase[] {
  return Array.from({ length: 8 }, (_, i) => i + 1).map((seed) => ({
    name: `fit/four parameters/seed ${seed}`,
    run: () => {
      const [normal, uniform] = [createNormals(seed), createUniforms(seed + 100)];
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
