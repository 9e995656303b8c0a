/** The rules of a preview: what a person should see before the files of a run are analyzed. */
import { formatMapped } from '#core/raw-mapping.ts';
import type { Assay } from '../assays/assay.ts';
import { compareSeries } from '../assays/dose-series.ts';
import { formatNames } from '../assays/settings.ts';
import { createMappingLookup } from '../curves/map-wells.ts';
import type { DescribedSet, DescribedWell } from './describe-sets.ts';
import type { PreviewProblem, PreviewRequest } from './types.ts';

interface Context extends Pick<PreviewRequest, 'mapping' | 'ordered'> {
  readonly reads: Assay['reads'];
}

type Rule = (sets: readonly DescribedSet[], context: Context) => PreviewProblem[];

/** Returns the problems of readable files in the order of the rules. */
export function findPreviewProblems(sets: readonly DescribedSet[], context: Context): PreviewProblem[] {
  return RULES.flatMap((rule) => rule(sets, context));
}

const CONTROLS: ReadonlySet<string> = new Set(['positive_control', 'negative_control']);

/** Returns the wells that are analyzed as samples or controls. */
function listMeasured(sets: readonly DescribedSet[]): DescribedWell[] {
  return sets.flatMap(({ wells }) => wells.filter(({ role }) => role === 'sample' || CONTROLS.has(role)));
}

function listSamples(sets: readonly DescribedSet[]): DescribedWell[] {
  return sets.flatMap(({ wells }) => wells.filter(({ role }) => role === 'sample'));
}

/** Returns the names of samples that nobody ordered. */
export function listNotOrdered(sets: readonly DescribedSet[]): string[] {
  const others = listSamples(sets).filter((well) => well.matchedSequence === null && !well.isUnnamed);
  return [...new Set(others.map(({ sample }) => sample))];
}

/** Returns the ordered sequences that no sample or control has. */
export function listMissing(sets: readonly DescribedSet[], names: readonly string[]): string[] {
  const found = new Set(listMeasured(sets).flatMap(({ matchedSequence: name }) => name ?? []));
  return names.filter((name) => !found.has(name));
}

const findNothingRead: Rule = (sets) => {
  if (sets.some(({ wells }) => wells.some(({ role }) => role !== 'left_out' && role !== 'empty'))) return [];
  const message = 'The files hold nothing to analyze: bring the files of the run, or map their wells.';
  return [{ code: 'nothing_read', severity: 'error', message }];
};

const findUnnamed: Rule = (sets, { ordered }) => {
  const unnamed = listSamples(sets).filter(({ isUnnamed }) => isUnnamed);
  if (unnamed.length === 0) return [];
  const wells = formatNames(unnamed.map(({ id }) => id));
  const [only] = ordered.names;
  if (ordered.names.length === 1 && sets.every(({ kind }) => kind === 'traces')) {
    const message = `The files name no sample for ${wells}: they are taken as ${only}, the only sequence of the experiment.`;
    return [{ code: 'wells_unnamed', severity: 'info', message }];
  }
  const message = `The files name no sample for ${wells}: map the wells to sequences, or add a plate map.`;
  return [{ code: 'wells_unnamed', severity: 'warning', message }];
};

const findNotOrdered: Rule = (sets) => {
  const names = listNotOrdered(sets);
  if (names.length === 0) return [];
  const message = `Nobody ordered ${formatNames(names)}: map them to sequences, or leave them out.`;
  return [{ code: 'sample_not_ordered', severity: 'warning', message }];
};

const findMissing: Rule = (sets, { ordered }) => {
  const names = listMissing(sets, ordered.names);
  const isTakenAsOnly = ordered.names.length === 1 && listSamples(sets).some(({ isUnnamed }) => isUnnamed);
  if (names.length === 0 || isTakenAsOnly) return [];
  const message = `The files have no data for ${formatNames(names)}, which the order has: bring their files, or map wells to them.`;
  return [{ code: 'sequence_missing', severity: 'warning', message }];
};

const findTechnique: Rule = (sets, { ordered: { method } }) => {
  if (method !== 'bli' && method !== 'spr') return [];
  const ordered = method.toUpperCase();
  return sets.flatMap(({ kind, technique, plate }, index): PreviewProblem[] => {
    if (kind !== 'traces' || technique === method) return [];
    const name = plate ?? `Plate ${index + 1}`;
    if (technique === null) {
      const message = `${name}: the file does not state its technique; it is analyzed as ${ordered}, as ordered.`;
      return [{ code: 'technique_not_stated', severity: 'info', message }];
    }
    const message = `${name}: the file says ${technique.toUpperCase()}, and ${ordered} was ordered. Check that it is the right file.`;
    return [{ code: 'technique_differs', severity: 'warning', message }];
  });
};

/** Returns the doses of a well in M, those of its steps where it has them. */
function listDoses({ concentrationM, parts }: DescribedWell): number[] {
  const ofSteps = parts.flatMap((part) => part.concentrationM ?? []);
  return ofSteps.length > 0 ? ofSteps : concentrationM === null ? [] : [concentrationM];
}

const findDoses: Rule = (sets, { ordered }) => {
  const samples = listSamples(sets.filter(({ kind }) => kind === 'traces'));
  const differences = new Map<string, string[]>();
  for (const [sample, wells] of Map.groupBy(samples, (well) => well.sample)) {
    const difference = compareSeries(wells.flatMap(listDoses), ordered.concentrationsM);
    if (difference === null) continue;
    const { extra, missing, factor, isUnit } = difference;
    const parts = [
      ...(factor === null ? [] : [`differ by the factor ${Number(factor.toPrecision(3))}`]),
      ...(isUnit ? ['which looks like an error of the unit'] : []),
      ...(factor !== null || extra.length === 0 ? [] : [`${formatDoses(extra)} was not ordered`]),
      ...(factor !== null || missing.length === 0 ? [] : [`${formatDoses(missing)} was not measured`]),
    ];
    const sentence = parts.join(', ');
    differences.set(sentence, [...(differences.get(sentence) ?? []), sample]);
  }
  return [...differences].map(([sentence, names]) => ({
    code: 'doses_differ',
    severity: 'warning',
    message: `Doses of ${formatNames(names)} are not those of the order: ${sentence}.`,
  }));
};

function formatDoses(molar: readonly number[]): string {
  return `${molar.map((value) => Number((value * 1e9).toPrecision(4))).join(', ')} nM`;
}

const findConcentrations: Rule = (sets, { reads }) => {
  if (reads !== 'traces') return [];
  const without = listMeasured(sets).filter((well) => listDoses(well).length === 0);
  if (without.length === 0) return [];
  const message = `The files give no concentration for ${formatNames(without.map(({ id }) => id))}: state it in the settings, as in assign["${without[0].id}"].concentration_m.`;
  return [{ code: 'concentration_missing', severity: 'warning', message }];
};

const findUnits: Rule = (sets) => {
  const without = sets.filter(
    ({ kind, signalUnit, technique }) => kind === 'traces' && signalUnit === null && technique === null,
  );
  if (without.length === 0) return [];
  const message =
    'The files do not state the unit of the signal: it is nm for BLI and RU for SPR, as ordered.';
  return [{ code: 'unit_not_stated', severity: 'info', message }];
};

const findGaps: Rule = (sets) =>
  sets.flatMap(({ wells, axisUnit }): PreviewProblem[] => {
    const gaps = wells.flatMap(({ id, role, parts }) =>
      role === 'left_out' ? [] : parts.flatMap((part) => (part.gap === null ? [] : [{ id, part }])),
    );
    if (gaps.length === 0) return [];
    const named = gaps.map(
      ({ id, part }) => `${id} (${part.name}, ${Number((part.gap ?? 0).toPrecision(3))} ${axisUnit ?? ''})`,
    );
    const message = `Points are missing in ${formatNames(named)}: check the export, or leave the wells out.`;
    return [{ code: 'gap_in_curve', severity: 'warning', message }];
  });

const findOverflows: Rule = (sets) => {
  const wells = sets.flatMap((set) =>
    set.wells.filter(({ hasOverflow, role }) => hasOverflow && role !== 'left_out'),
  );
  if (wells.length === 0) return [];
  const message = `The detector overflowed in ${formatNames(wells.map(({ id }) => id))}: such readings have no value.`;
  return [{ code: 'detector_overflow', severity: 'warning', message }];
};

const findUnusedEntries: Rule = (sets, { mapping }) => {
  const used = new Set(sets.flatMap(({ wells }) => wells.flatMap(({ entry }) => entry ?? [])));
  // An entry that another one outranks everywhere is of use in no file, but it is no typing error.
  const isKnown = (index: number): boolean => {
    const one = [mapping[index]];
    return sets.some(({ plate, wells }) => {
      const find = createMappingLookup(one, plate);
      return wells.some((well) => find(well) !== null);
    });
  };
  const unused = mapping.filter((entry, index) => !used.has(entry) && !isKnown(index));
  if (unused.length === 0) return [];
  const message = `The mapping names what no file has: ${formatNames(unused.map(formatMapped))}. Correct or remove these lines.`;
  return [{ code: 'mapping_unused', severity: 'warning', message }];
};

const findImpossibleRoles: Rule = (sets) => {
  const wrong = sets
    .filter(({ kind }) => kind !== 'traces')
    .flatMap(({ wells }) => wells.filter(({ role }) => role === 'reference'));
  if (wrong.length === 0) return [];
  const message = `The mapping makes ${formatNames(wrong.map(({ id }) => id))} a reference, which only sensors can be: take blank.`;
  return [{ code: 'mapping_not_possible', severity: 'error', message }];
};

const RULES: readonly Rule[] = [
  findNothingRead,
  findImpossibleRoles,
  findTechnique,
  findUnnamed,
  findNotOrdered,
  findMissing,
  findDoses,
  findConcentrations,
  findUnits,
  findGaps,
  findOverflows,
  findUnusedEntries,
];
