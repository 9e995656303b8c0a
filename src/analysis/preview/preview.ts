/** What raw files hold and how that fits the order, by the parsers of the analysis, before anything is kept. */
import type { Assay } from '../assays/assay.ts';
import { findProblem } from '../failures/problem.ts';
import { FORMATS } from '../formats/registry.ts';
import { openFile } from '../formats/reading/stored-file.ts';
import type { InputFile } from '../formats/reading/input-file.ts';
import type { RunSets } from '../formats/run-sets.ts';
import { describeSets } from './describe-sets.ts';
import type { DescribedSet, DescribedWell } from './describe-sets.ts';
import { findPreviewProblems, listMissing, listNotOrdered } from './find-problems.ts';
import type {
  Preview,
  PreviewedFile,
  PreviewedSet,
  PreviewedWell,
  PreviewProblem,
  PreviewRequest,
} from './types.ts';

/** Wells that the answer shows of all sets together. */
const WELLS_MAX = 2_000;

const TITLES = new Map(FORMATS.map(({ id, title }) => [id, title]));

/** Previews the files of one run. A file that cannot be read is a problem of the preview; the others are still read. */
export function previewRun(assay: Assay, { files: given, mapping, ordered }: PreviewRequest): Preview {
  const opened = given.map(openFile);
  const files = opened.map((file) => inspectFile(assay, file));
  const readable = opened.filter((_, index) => files[index].problem === null);
  const problems = files.flatMap(({ problem }): PreviewProblem[] =>
    problem === null ? [] : [{ code: 'file_unreadable', severity: 'error', message: problem }],
  );
  const read = readTogether(assay, readable);
  if ('problem' in read) {
    problems.push({ code: 'file_unreadable', severity: 'error', message: read.problem });
    return { files, sets: [], samplesNotOrdered: [], sequencesMissing: [...ordered.names], problems };
  }
  const described = describeSets(read.sets, mapping, new Set(ordered.names));
  problems.push(...findPreviewProblems(described, { mapping, ordered, reads: assay.reads }));
  return {
    files,
    sets: cutSets(described),
    samplesNotOrdered: listNotOrdered(described),
    sequencesMissing: listMissing(described, ordered.names),
    problems,
  };
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
