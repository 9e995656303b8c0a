/** Every published set that the tests analyze, read from a folder beside the project; never copied into it. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { analyzeAffinitySets } from '#assays/affinity/engine/affinity.ts';
import { analyzeAffinity, parseTraces } from '#testing/analysis/analyze.ts';
import type { InputFile } from '#analysis/formats/reading/input-file.ts';
import type { BindingSettingsInput } from '#assays/binding/engine/settings.ts';
import { StepBuilder, type TraceSet, type TraceStep } from '#analysis/curves/trace.ts';
import type { FreezeCase } from './case.ts';

export function listPublishedCases(folder: string): FreezeCase[] {
  return [
    ...listTitrationCases(folder),
    ...listMultiCycleCases(folder),
    ...listGatorCases(folder),
    ...listOctetCases(folder),
    ...listSprCases(folder),
  ];
}

function readFolder(path: string): InputFile[] {
  return readdirSync(path).map((name) => ({ name, bytes: readFileSync(join(path, name)) }));
}

function listTitrationCases(folder: string): FreezeCase[] {
  const used = new Set(['A2', 'B2', 'C2', 'D2', 'F2']);
  const asPublished: BindingSettingsInput = {
    thinning: 'whole_seconds',
    interStep: 'off',
    reference: 'none',
    timeZero: 'fixed',
    model: '1:1',
  };
  const rules: [string, BindingSettingsInput][] = [
    ['as published', asPublished],
    ['1:1', { model: '1:1' }],
    ['auto', {}],
    ['drift', { drift: true }],
    ['steady state', { model: 'steady_state' }],
  ];
  return rules.flatMap(([rule, settings]) =>
    [300, 600].map((dissociationS) => ({
      name: `published/titration/${rule}/${dissociationS} s`,
      run: () => {
        const sets = parseTraces(
          readFolder(join(folder, 'titrationanalysis', 'bli_tray1', 'BLI Example Tray 1')),
        );
        const others = sets[0].traces.filter(({ id }) => !used.has(id));
        const assign = Object.fromEntries(others.map(({ id }) => [id, { exclude: true }]));
        return analyzeAffinitySets(sets, { assign, associationS: 300, dissociationS, ...settings });
      },
    })),
  );
}

function listMultiCycleCases(folder: string): FreezeCase[] {
  return (['local', 'global'] as const).flatMap((rmax) =>
    (['none', 'mean_1hz'] as const).map((thinning) => ({
      name: `published/multi-cycle/${rmax}/${thinning}`,
      run: () => {
        const bytes = readFileSync(join(folder, 'kingenie', 'multi_cycle_kingenie.csv'));
        return analyzeAffinity([{ name: 'multi_cycle.csv', bytes }], { rmax, thinning });
      },
    })),
  );
}

function listGatorCases(folder: string): FreezeCase[] {
  const rules: [string, BindingSettingsInput][] = [
    ['auto', { dissociationS: 100 }],
    ['as the instrument', { dissociationS: 100, model: '1:1' }],
    ['no inter-step correction', { dissociationS: 100, interStep: 'off', model: '1:1' }],
    ['no reference', { dissociationS: 100, reference: 'none', model: '1:1' }],
    ['300 s', { dissociationS: 300, model: '1:1' }],
    ['mass transport', { dissociationS: 100, model: 'mass_transport' }],
    ['heterogeneous ligand', { dissociationS: 100, model: 'heterogeneous_ligand' }],
    ['bivalent analyte', { dissociationS: 100, model: 'bivalent_analyte' }],
  ];
  return rules.map(([rule, settings]) => ({
    name: `published/gator/${rule}`,
    run: () =>
      analyzeAffinitySets(parseTraces(readFolder(join(folder, 'kingenie', 'gator_assay_1'))), settings),
  }));
}

function listOctetCases(folder: string): FreezeCase[] {
  return (['auto', '1:1'] as const).map((model) => ({
    name: `published/octet/${model}`,
    run: () => {
      const files = readFolder(join(folder, 'kingenie', 'octet_230309'));
      return analyzeAffinity(
        files.filter(({ name }) => name.startsWith('230309')),
        { model },
      );
    },
  }));
}

const MCK_M = [50e-9, 16.7e-9, 5.56e-9, 1.85e-9, 0.617e-9];

function listSprCases(folder: string): FreezeCase[] {
  const wide = (name: string) => join(folder, 'anabel', name);
  const cases: [string, () => TraceSet, BindingSettingsInput][] = [
    ...([45, 50] as const).map((startS): [string, () => TraceSet, BindingSettingsInput] => [
      `mck/${startS} s/stated times`,
      () => cutWide(wide('MCK_dataset.csv'), MCK_M, [startS, startS + 100]),
      { baselineS: 0 },
    ]),
    [
      'mck/45 s/times fitted',
      () => cutWide(wide('MCK_dataset.csv'), MCK_M, [45, 145]),
      { baselineS: 0, timeZero: 'fitted', timeZeroWindowS: 12 },
    ],
    ...[0, 1, 2].map((column): [string, () => TraceSet, BindingSettingsInput] => [
      `sca/${column}/times fitted`,
      () =>
        cutWide(
          wide('SCA_dataset.csv'),
          [0, 1, 2].map((c) => (c === column ? 50e-9 : null)),
          [50, 200],
        ),
      { baselineS: 0, timeZero: 'fitted' },
    ]),
  ];
  return cases.map(([name, set, settings]) => ({
    name: `published/spr/${name}`,
    run: () => analyzeAffinitySets([set()], settings),
  }));
}

/** Cuts the columns of a table into traces at stated injection times; a column without concentration is left out. */
function cutWide(
  path: string,
  concentrations: readonly (number | null)[],
  [startS, endS]: readonly [number, number],
): TraceSet {
  const rows = readTable(path).map((row) => row.map(Number));
  const traces = concentrations.flatMap((concentrationM, c) => {
    if (concentrationM === null) return [];
    const cut = (step: TraceStep['step'], fromS: number, toS: number): TraceStep => {
      const builder = new StepBuilder(step, fromS);
      for (const row of rows) if (row[0] >= fromS && row[0] < toS) builder.push(row[0], row[c + 1]);
      return builder.build();
    };
    const steps = [
      cut('baseline', 0, startS),
      cut('association', startS, endS),
      cut('dissociation', endS, 1e9),
    ];
    return [
      { id: `c${c}`, well: null, role: 'sample' as const, sample: 'x', replicate: 1, concentrationM, steps },
    ];
  });
  const common = {
    format: 'test',
    technique: 'spr',
    signalUnit: 'RU',
    instrument: null,
    plate: null,
  } as const;
  return { ...common, metadata: {}, notices: [], traces };
}

export function readTable(path: string): string[][] {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));
}

/** Eleven curves of one protein in ascending concentration. */
