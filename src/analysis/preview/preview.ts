/** What raw files hold and how that fits the order, by the parsers of the analysis, before anything is kept. */
import { isRecord } from '#core/records.ts';
import { AnalysisError } from '../failures/errors.ts';
import type { Assay } from '../assays/assay.ts';
import { findProblem } from '../failures/problem.ts';
import { FORMATS } from '../formats/registry.ts';
import { openFile, type InputFile } from '../formats/reading/input-file.ts';
import type { RunSets } from '../formats/run-sets.ts';
import { describeSets, type Assign, type DescribedSet, type DescribedWell } from './describe-sets.ts';
import { findPreviewProblems, listMissing, listNotOrdered } from './find-problems.ts';
import type {
  Preview,
  PreviewedFile,
  PreviewedSet,
  PreviewedWell,
  PreviewProblem,
  PreviewRequest,
  MeasuredSequence,
} from './types.ts';

/** Counts what described sets hold of each ordered sequence, as its result will count. */
const MEASURED: ReadonlySet<string> = new Set(['sample', 'positive_control', 'negative_control']);

function countMeasured(sets: readonly DescribedSet[], names: readonly string[]): MeasuredSequence[] {
  const hasTraces = sets.some(({ kind }) => kind === 'traces');
  const [only] = names;
  const wells = sets.flatMap((set, index) =>
    set.kind === 'map'
      ? []
      : set.wells.flatMap((well) => {
          const name = well.matchedSequence ?? (names.length === 1 && well.isUnnamed ? only : null);
          return name === null || !MEASURED.has(well.role) ? [] : [{ name, well, set, index }];
        }),
  );
  const grouped = Map.groupBy(wells, ({ name }) => name);
  return names.map((sequence) => {
    const own = grouped.get(sequence) ?? [];
    // A trace is one curve of a replicate; a well of melting or of a reader is a replicate.
    const replicates = own.flatMap(({ well, set, index }) => {
      if (set.kind !== 'traces') return [`${index}/${well.id}`];
      return countDoses(well) > 0 ? [`${index}/${well.replicate}`] : [];
    });
    const nCurves = own.reduce((sum, { well }) => sum + countDoses(well), 0);
    return { sequence, nReplicates: new Set(replicates).size, nCurves: hasTraces ? nCurves : null };
  });
}

/** A curve whose concentration the file does not state counts, because the settings will. */
function countDoses({ concentrationM, dosesM }: DescribedWell): number {
  const nDoses = dosesM.filter((dose) => dose > 0).length;
  return nDoses > 0 ? nDoses : concentrationM === 0 ? 0 : 1;
}

/** Wells that the answer shows of all sets together. */
const WELLS_MAX = 2_000;

const TITLES = new Map(FORMATS.map(({ id, title }) => [id, title]));

/** Previews the files of one run. A file that cannot be read is a problem of the preview; the others are still read. */
export function previewRun(assay: Assay, request: PreviewRequest): Preview {
  const { files: given, mapping, ordered } = request;
  const opened = given.map(openFile);
  const files = opened.map((file) => inspectFile(assay, file));
  const readable = opened.filter((_, index) => files[index].problem === null);
  const problems = files.flatMap(({ problem }): PreviewProblem[] =>
    problem === null ? [] : [{ code: 'file_unreadable', severity: 'error', message: problem }],
  );
  const read = readTogether(assay, readable);
  if ('problem' in read) {
    problems.push({ code: 'file_unreadable', severity: 'error', message: read.problem });
    return {
      files,
      sets: [],
      samplesNotOrdered: [],
      sequencesMissing: [...ordered.names],
      measured: [],
      problems,
    };
  }
  const described = describeSets(read.sets, {
    mapping,
    planned: request.planned ?? [],
    names: new Set(ordered.names),
    assign: readAssign(request.settings),
  });
  problems.push(
    ...findPreviewProblems(described, {
      mapping,
      ordered,
      reads: assay.reads,
    }),
  );
  if (problems.every(({ severity }) => severity !== 'error'))
    problems.push(...findStops(assay, read.sets, request));
  return {
    files,
    sets: cutSets(described),
    samplesNotOrdered: listNotOrdered(described),
    sequencesMissing: listMissing(described, ordered.names),
    measured: countMeasured(described, ordered.names),
    problems,
  };
}

/** Reads the setting of that name, which the assays share; the engine judges it. */
function readAssign(settings: PreviewRequest['settings']): Assign {
  const { assign } = settings ?? {};
  if (!isRecord(assign)) return {};
  const entries = Object.entries(assign).filter(([, stated]) => isRecord(stated));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked against the schema of the assay before
  return Object.fromEntries(entries) as Assign;
}

/** Settings that files may leave to people, by the code of the failure without them. */
const SETTINGS: Readonly<Record<string, string>> = { association_length_needed: 'association_s' };

/** Finds what would stop the analysis of readable files. */
function findStops(
  assay: Assay,
  sets: RunSets,
  { mapping: byHand, planned = [], ordered, settings = {} }: PreviewRequest,
): PreviewProblem[] {
  // Later entries take precedence.
  const mapping = [...planned, ...byHand];
  // Where a plan names the wells, the cut of the files by the plan checks names.
  const names = planned.length > 0 ? [] : ordered.names;
  try {
    assay.rehearse(sets, { settings, mapping, method: ordered.method, names });
    return [];
  } catch (error) {
    if (!(error instanceof AnalysisError)) throw error;
    const { code, message } = error;
    const setting = SETTINGS[code];
    return [
      setting === undefined
        ? { code: 'analysis_stops', severity: 'error', message }
        : { code: 'steps_not_stated', severity: 'error', message, setting },
    ];
  }
}

function inspectFile(assay: Assay, file: InputFile): PreviewedFile {
  try {
    const { sets } = assay.inspect(file);
    const formats = sets.map(({ format }) => TITLES.get(format) ?? format);
    const digests = sets.flatMap(({ digest }) => digest ?? []);
    return { name: file.name, formats: [...new Set(formats)], digests, problem: null };
  } catch (error) {
    return { name: file.name, formats: [], digests: [], problem: requireProblem(error) };
  }
}

/** Files that are readable one by one may not fit together, such as two plate maps. */
function readTogether(assay: Assay, files: readonly InputFile[]): { sets: RunSets } | { problem: string } {
  if (files.length === 0) return { sets: { traces: [], melts: [], plates: [], map: null } };
  try {
    return { sets: assay.read(files) };
  } catch (error) {
    return { problem: requireProblem(error) };
  }
}

function requireProblem(error: unknown): string {
  const problem = findProblem(error);
  if (problem === null) throw error;
  return problem;
}

/** Returns the sets with the first wells of all of them, as the answer carries them. */
function cutSets(described: readonly DescribedSet[]): PreviewedSet[] {
  let room = WELLS_MAX;
  return described.map(({ wells, ...set }) => {
    const shown = wells.slice(0, room);
    room -= shown.length;
    return {
      ...set,
      nWells: wells.length,
      wells: shown.map(toPreviewedWell),
    };
  });
}

/** Leaves out what only the search for problems needs. */
function toPreviewedWell(well: DescribedWell): PreviewedWell {
  const { id, well: name, role, sample, replicate, concentrationM, concentrationNgPerUl } = well;
  const { matchedSequence, isMapped, parts } = well;
  const amounts = { concentrationM, concentrationNgPerUl };
  return { id, well: name, role, sample, replicate, ...amounts, matchedSequence, isMapped, parts };
}
