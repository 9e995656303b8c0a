/** `POST /sequences/check`: reads designs from files and says of each what its order would say, and what is wrong. */
import type { ReadContext } from '#core/context.ts';
import { createInvalidFieldsFailure } from '#core/failures.ts';
import type { Input, Output } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { createSliceCounter, runInSlices, type Steps } from '#core/slices.ts';
import { formatCount, joinFirst } from '#core/words.ts';
import { refuseIfTooMany } from '../experiments/rules.ts';
import { addQualityWarnings, WARNED_LETTERS_MAX } from './check-sequences.ts';
import type { checkDesigns as operation, SequenceValue } from './contract.ts';
import { translateReading } from './dna.ts';
import { duplicateWarnings, findSequenceWarnings, type SequenceWarning } from './quality.ts';
import {
  readDesignFile,
  type DesignReading,
  type DesignSource,
  type ReadDesign,
} from './read-design-file.ts';
import { checkSequence, countResidues, isAntibody, type NewSequence } from './rules.ts';
import { selectEarlierSequences } from './store.ts';
import { describeWarnings, WarningGroups } from './warnings.ts';

type Answer = Output<typeof operation>;
type Problem = Answer['problems'][number];
type Body = Input<typeof operation>['body'];

export async function checkDesigns({ body }: Input<typeof operation>, context: ReadContext): Promise<Answer> {
  const { limits, readWorkbook } = context.site;
  const problems: Problem[] = [];
  const notes: string[] = [];
  const readings = body.files.flatMap((file, index) => {
    const source = openFile(file, index, readWorkbook);
    if (typeof source !== 'string') return readDesignFile(source);
    problems.push({
      file: file.name,
      line: 1,
      column: null,
      sequence: null,
      kind: 'unreadable',
      message: source,
    });
    return [];
  });
  const found = readings.flatMap((reading) => listFound(reading, body.translate === true, problems, notes));
  refuseIfTooMany(found.length, limits);
  const named = renameTaken(found, notes);
  const designs = await runInSlices(checkAll(named, limits, problems));
  const earlier = await findEarlier(context, designs, body.except);
  const order = new Map(body.files.map(({ name }, index) => [name, index]));
  const getPlace = ({ file }: Problem): number =>
    order.get(file) ?? order.get(file.replace(/, sheet .*$/, '')) ?? 0;
  return {
    designs: designs.map(({ aaString, ...design }) => ({ ...design, earlier: earlier.get(aaString) ?? [] })),
    problems: problems.toSorted((a, b) => getPlace(a) - getPlace(b) || a.line - b.line),
    files: readings.map(({ name, format, header, columns, designs: own }) => ({
      name,
      format,
      header: [...header],
      columns: { ...columns },
      design_count: own.length,
    })),
    notes,
    ...describeWarnings(await runInSlices(groupWarnings(designs))),
  };
}

/** Opens a file as text or as a workbook; a text says why it cannot be read. */
function openFile(
  { name, text, base64, columns }: Body['files'][number],
  index: number,
  readWorkbook: ReadContext['site']['readWorkbook'],
): DesignSource | string {
  if ((text === undefined) === (base64 === undefined))
    throw createInvalidFieldsFailure([{ path: `files.${index}`, message: 'needs either text or base64' }]);
  if (text !== undefined) return { name, columns, content: text };
  const bytes = Buffer.from(base64 ?? '', 'base64');
  if (bytes.subarray(0, 2).toString('latin1') !== 'PK') {
    const content = decodeText(bytes);
    return content === null
      ? 'the file is no text and no xlsx workbook; save it as FASTA, CSV, TSV or xlsx.'
      : { name, columns, content };
  }
  const sheets = readWorkbook({ name, bytes });
  return typeof sheets === 'string'
    ? `the workbook cannot be read (${sheets}); save it as xlsx or CSV.`
    : { name, columns, content: sheets };
}

/** Decodes UTF-8, or UTF-16 as spreadsheets save it; what is neither may be Latin-1, but never holds a zero byte. */
function decodeText(bytes: Buffer): string | null {
  const mark = bytes.subarray(0, 2).toString('hex');
  if (mark === 'fffe' || mark === 'feff')
    return new TextDecoder(mark === 'fffe' ? 'utf-16le' : 'utf-16be').decode(bytes);
  if (bytes.includes(0)) return null;
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? bytes.toString('latin1') : text;
}

interface Found extends ReadDesign {
  readonly file: string;
  /** Whether it has characters that no letter stands for; they are problems of their lines. */
  readonly isBroken: boolean;
}

/** Lists the designs of a file, translated on demand; its problems and notes are added to those of all. */
function listFound(reading: DesignReading, isDna: boolean, problems: Problem[], notes: string[]): Found[] {
  const { name: file, designs, broken } = reading;
  for (const problem of reading.problems)
    problems.push({ file, kind: problem.sequence === null ? 'unreadable' : 'form', ...problem });
  const place = (design: ReadDesign): Found => ({ ...design, file, isBroken: broken.includes(design) });
  if (!isDna) return [...designs, ...broken].toSorted((a, b) => a.line - b.line).map(place);
  const translated = translateReading({ records: designs, problems: [] });
  for (const problem of translated.problems)
    problems.push({ file, column: null, sequence: null, kind: 'unreadable', ...problem });
  if (designs.length > 0)
    notes.push(
      `Translated ${formatCount(translated.translatedCount, 'sequence')} of DNA.`,
      ...translated.notes,
    );
  return designs.map((design, index) => place({ ...design, ...translated.records[index] }));
}

const NAMES_SHOWN = 3;

/** A name that an earlier file has gets a number, so that several files can be ordered together. */
function renameTaken(found: readonly Found[], notes: string[]): Found[] {
  const taken = new Map<string, string>();
  const renamed = new Map<string, string[]>();
  const designs = found.map((design) => {
    const { name, file } = design;
    const owner = taken.get(name);
    if (owner === undefined || owner === file) {
      taken.set(name, file);
      return design;
    }
    let number = 2;
    while (taken.has(`${name}-${number}`)) number += 1;
    const free = `${name}-${number}`;
    taken.set(free, file);
    renamed.set(file, [...(renamed.get(file) ?? []), `${name} is ${free}`]);
    return { ...design, name: free };
  });
  for (const [file, names] of renamed)
    notes.push(`${file}: names that another file has got a number: ${joinFirst(names, NAMES_SHOWN)}.`);
  return designs;
}

interface Checked extends Omit<Answer['designs'][number], 'earlier'> {
  readonly aaString: string;
}

const getLetters = (value: SequenceValue): string => (typeof value === 'string' ? value : value.aa_string);

/** Checks every design; one with a problem is listed as it was written. */
function* checkAll(
  found: readonly Found[],
  limits: ReadContext['site']['limits'],
  problems: Problem[],
): Steps<Checked[]> {
  const isSliceFull = createSliceCounter();
  const checked: { readonly design: Found; readonly sequence: NewSequence | null }[] = [];
  for (const design of found) {
    const { name, value, file, line, column } = design;
    if (isSliceFull(2 * getLetters(value).length)) yield;
    const { sequence, problems: own } = checkSequence(name, value, name, limits);
    // Characters that are no letters are named by their own line already.
    const isNamed = (message: string): boolean => design.isBroken && /: "[^"]+" is not one of/.test(message);
    for (const { message, kind } of own)
      if (!isNamed(message)) problems.push({ file, line, column, sequence: name, kind, message });
    checked.push({ design, sequence });
  }
  const valid = checked.flatMap(({ sequence }) => sequence ?? []);
  const duplicates = Map.groupBy(yield* duplicateWarnings(valid), ({ sequence }) => sequence);
  let letters = 0;
  const designs: Checked[] = [];
  for (const { design, sequence } of checked) {
    const aaString = sequence?.aaString ?? getLetters(design.value);
    if (isSliceFull(4 * aaString.length)) yield;
    letters += aaString.length;
    const metadata = typeof design.value === 'string' ? null : (design.value.metadata ?? null);
    const options = { antibody: isAntibody(metadata) };
    const warnings: SequenceWarning[] =
      sequence === null || letters > WARNED_LETTERS_MAX
        ? []
        : [...findSequenceWarnings(design.name, aaString, options), ...(duplicates.get(design.name) ?? [])];
    designs.push({
      name: design.name,
      aa_string: aaString,
      aaString,
      control: typeof design.value === 'string' ? false : (design.value.control ?? false),
      metadata,
      file: design.file,
      line: design.line,
      valid: sequence !== null,
      length: countResidues(aaString),
      chain_lengths: aaString.split(':').map((chain) => chain.length),
      checks: warnings.map(({ code, message }) => ({ rule: code, message })),
    });
  }
  return designs;
}

function* groupWarnings(designs: readonly Checked[]) {
  const warnings = new WarningGroups();
  const inspected = designs.flatMap(({ name, aaString, metadata = null, valid }) =>
    valid ? { name, aaString, metadata } : [],
  );
  yield* addQualityWarnings(warnings, inspected);
  return warnings.list();
}

/** The latest order of the organization that had the same sequence, by the sequence. */
async function findEarlier(context: ReadContext, designs: readonly Checked[], except: string | undefined) {
  const texts = designs.filter(({ valid }) => valid).map(({ aaString }) => aaString);
  const rows = await selectEarlierSequences(getScope(context.principal), context.sql, texts, except ?? '');
  return new Map(rows.map(({ aa_string: aaString, ...earlier }) => [aaString, [earlier]]));
}
