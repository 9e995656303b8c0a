/**
 * The report of an experiment for reading and printing: the results, every curve with its fit, and the methods.
 * This folder: the report of an experiment. Not here: figures themselves (`../figures`).
 */
import type { PaperSize } from '#core/context.ts';
import { isRecord } from '#core/records.ts';
import type { PdfBlock, PdfColumn, PdfFact, PdfHead } from '#documents/document.ts';
import { buildDoubtBlocks, buildRanking } from './ranking.ts';
import { formatFlags } from '../words/results.ts';
import { writePlain } from '#documents/prose.ts';
import type { Scene } from '#documents/scene.ts';
import { findMeanings } from '../package/flags.ts';
import { findShownAssay } from '#assays/shown.ts';
import { buildMethods } from '../package/methods.ts';
import { findCommonFlags, hasValue } from './cells.ts';
import { buildWithoutValue } from './without-value.ts';
import { tellFailedPlates, formatOutcomeCounts, WhatWasDone } from '../package/what-was-done.ts';
import { type PackagedExperiment, type PackagedResult, listReplicates } from '../package/packaged.ts';
import { SANDBOX_DATA } from '../package/texts.ts';
import { formatQuantityParts } from '../words/quantities.ts';

/** Largest number of figures; the archive beside the report has the figure of every sequence. */
export const PICTURES_MAX = 120;

export interface ReportInput {
  readonly experiment: PackagedExperiment;
  /** All results, best first. */
  readonly results: readonly PackagedResult[];
  /**
   * Figures of the first `PICTURES_MAX` results in which the assay found something, in the same order. Each is drawn
   * when the report reaches it, because together they take more memory than all else.
   */
  readonly pictures: Iterable<Scene> | AsyncIterable<Scene>;
  /** Number of `pictures`. */
  readonly shownCount: number;
  /** Number of results that have such a figure in the archive. */
  readonly picturesCount: number;
  /** The curves of the other results, small and many to a page. */
  readonly smallPictures: readonly Scene[];
  /** The replicates of each sequence in one plot; shown in place of the figures where there are none. */
  readonly overlays: readonly Scene[];
  /** The plates that the sequences of a fluorescence experiment share. */
  readonly plates: readonly Scene[];
  /** Figures of the whole experiment: the ranking, the map of rates, the plates. */
  readonly overviews: readonly Scene[];
  readonly issuer: string;
  readonly paper: PaperSize;
}

export interface Report {
  readonly head: PdfHead;
  /** Can be read once. */
  readonly blocks: AsyncIterable<PdfBlock>;
}

export function buildReport(input: ReportInput): Report {
  const { experiment, issuer, paper } = input;
  const head = {
    title: `Report ${experiment.code}`,
    author: issuer,
    subject: `${findShownAssay(experiment.experimentType)?.reportName ?? experiment.experimentType} of ${experiment.name}`,
    language: 'en',
    paper,
    createdAt: experiment.releasedAt.toISOString(),
    footer: `${experiment.code} · ${experiment.name}`,
  };
  return { head, blocks: listBlocks(input) };
}

/** Rows of a table; nobody reads more on paper, and a document keeps a record of every cell until its end. */
const ROWS_MAX = 1_000;

async function* listBlocks(input: ReportInput): AsyncGenerator<PdfBlock> {
  for await (const block of listWholeBlocks(input)) yield* limitRows(block);
}

/** Says below a table that is cut short how many rows there are, and where. */
function limitRows(block: PdfBlock): PdfBlock[] {
  if (block.kind !== 'table' || block.rows.length <= ROWS_MAX) return [block];
  const numbers = new Intl.NumberFormat('en-US');
  const text = `The first ${numbers.format(ROWS_MAX)} of ${numbers.format(block.rows.length)} rows are shown; the tables and “fits.json” of the data package have them all.`;
  return [
    { ...block, rows: block.rows.slice(0, ROWS_MAX) },
    { kind: 'paragraph', text },
  ];
}

async function* listWholeBlocks(input: ReportInput): AsyncGenerator<PdfBlock> {
  const { experiment, results, issuer } = input;
  yield* buildHead(experiment, results, issuer);
  yield* buildTables(experiment, results);
  yield* buildDoubtBlocks(results);
  yield* buildFlagBlocks(results);
  yield* buildOverview(input);
  yield* listCurveBlocks(input);
  yield* buildPlateBlocks(experiment, results, input.plates);
  yield* buildCautions(experiment);
  yield* buildMethodBlocks(experiment, results);
}

function buildHead(
  experiment: PackagedExperiment,
  results: readonly PackagedResult[],
  issuer: string,
): PdfBlock[] {
  const { code, name, experimentType, method, target, releasedAt, isSandbox } = experiment;
  const facts: PdfFact[] = [
    { label: 'Assay', value: findShownAssay(experimentType)?.reportName ?? experimentType },
    ...(method === null ? [] : [{ label: 'Method', value: method.toUpperCase() }]),
    ...(typeof target?.name === 'string' ? [{ label: 'Target', value: target.name }] : []),
    { label: 'Sequences', value: String(results.length) },
    { label: 'Released', value: releasedAt.toISOString().slice(0, 10) },
  ];
  return [
    { kind: 'masthead', issuer, issuerLines: [], title: 'Results', subtitle: code },
    { kind: 'heading', text: name },
    ...(isSandbox ? [{ kind: 'notice' as const, tone: 'attention' as const, text: SANDBOX_DATA }] : []),
    { kind: 'facts', facts },
    ...buildFailedPlates(results),
    { kind: 'paragraph', text: describeOutcomes(results, experimentType) },
  ];
}

/** Stands before the first number, because a reader of a report may stop there. */
function buildFailedPlates(results: readonly PackagedResult[]): PdfBlock[] {
  const collector = tellFailedPlates();
  for (const result of results) collector.take(result);
  const text = collector.writeSentence();
  return text === undefined ? [] : [{ kind: 'notice', tone: 'attention', text }];
}

/** `Of 52 sequences 40 were measured, 9 are without detected binding, 3 were not expressed.` */
function describeOutcomes(results: readonly PackagedResult[], experimentType: string): string {
  const common = findCommonFlags(results);
  const flagged = results.filter(({ qc }) => qc.flags.some((flag) => !common.has(flag))).length;
  const carry = flagged === 1 ? '1 carries' : `${flagged} carry`;
  const all = common.size === 0 ? '' : ` All carry: ${formatFlags([...common])}.`;
  const flagWords = common.size === 0 ? 'at least one quality flag' : 'others';
  const remark = `${all}${flagged === 0 ? '' : ` ${carry} ${flagWords}, named in the tables.`}`;
  return `Of ${results.length} ${results.length === 1 ? 'sequence' : 'sequences'}: ${formatOutcomeCounts(results, experimentType)}.${remark}`;
}

/** What has a value is ranked; a sequence without one takes a line, however much was tried. */
function buildTables({ experimentType }: PackagedExperiment, results: readonly PackagedResult[]): PdfBlock[] {
  const [ranked, others] = [true, false].map((isWanted) =>
    results.filter((result) => hasValue(result, experimentType) === isWanted),
  );
  const isPrinted = results.every(({ sequence_name: name }) => !BEYOND_FONT.test(name));
  return [
    ...buildRanking(experimentType, results, ranked ?? []),
    ...buildWithoutValue(experimentType, results, others ?? []),
    ...(isPrinted ? [] : [{ kind: 'paragraph' as const, muted: true, text: MISSING_LETTERS }]),
  ];
}

const MISSING_LETTERS =
  '□ stands for a letter that the font of this report does not have; the tables of the data package have it.';

/** Scripts that the font of the documents lacks. */
const BEYOND_FONT = /[\u1100-\u1dff\u2e80-\uffff]|[\ud800-\udfff]/u;

function readSettings(result: PackagedResult | undefined): Readonly<Record<string, unknown>> {
  const { settings } = result?.analysis ?? {};
  return isRecord(settings) ? settings : {};
}

function buildFlagBlocks(results: readonly PackagedResult[]): PdfBlock[] {
  const meanings = findMeanings(
    results.flatMap(({ qc }) => qc.flags),
    readSettings(results[0]),
  );
  if (meanings.length === 0) return [];
  const columns: PdfColumn[] = [
    { title: 'Flag', align: 'left' },
    { title: 'Meaning', align: 'left', grows: true },
    { title: 'Sequences', align: 'right' },
  ];
  const rows = meanings.map(([flag, meaning]) => [
    formatFlags([flag]),
    meaning,
    String(results.filter(({ qc }) => qc.flags.includes(flag)).length),
  ]);
  return [
    { kind: 'heading', text: 'Quality flags of these results' },
    { kind: 'table', columns, rows },
  ];
}

/** A chart without a value adds nothing to the table. */
function buildOverview({ experiment, results, overviews }: ReportInput): PdfBlock[] {
  const hasNumber = results.some(({ quantities }) =>
    Object.values(quantities).some(({ value }) => value !== null),
  );
  if (overviews.length === 0 || !(hasNumber || findShownAssay(experiment.experimentType)?.isCall === true))
    return [];
  return [{ kind: 'heading', text: 'All results' }, ...overviews.map(toPicture)];
}

async function* listCurveBlocks({
  experiment,
  pictures,
  shownCount,
  picturesCount,
  smallPictures,
  overlays,
}: ReportInput): AsyncGenerator<PdfBlock> {
  const lesson = findShownAssay(experiment.experimentType)?.lesson.curves;
  const more = `The first ${shownCount} of ${picturesCount} are shown; the folder “plots” of the data package has them all.`;
  if (overlays.length + shownCount > 0) {
    yield { kind: 'heading', text: 'Curves' };
    if (lesson !== undefined) yield { kind: 'paragraph', text: writePlain(lesson.text) };
    if (picturesCount > shownCount && shownCount > 0) yield { kind: 'paragraph', text: more };
    if (shownCount === 0) yield { kind: 'paragraph', text: ELSEWHERE };
    for (const scene of overlays) yield toPicture(scene);
    for await (const scene of pictures) yield toPicture(scene);
  }
  if (smallPictures.length === 0) return;
  yield { kind: 'heading', text: 'Curves of the others' };
  yield* smallPictures.map(toPicture);
}

const toPicture = (scene: Scene): PdfBlock => ({ kind: 'picture', scene });

const ELSEWHERE =
  'The folder “plots” of the data package has a picture of every sequence, with its fits, residuals and aggregation.';

/** For sequences that share plates: shows each plate once, with the wells of every sequence. */
function buildPlateBlocks(
  { experimentType }: PackagedExperiment,
  results: readonly PackagedResult[],
  plates: readonly Scene[],
): PdfBlock[] {
  if (plates.length === 0) return [];
  const lesson = findShownAssay(experimentType)?.lesson.curves;
  return [
    { kind: 'heading', text: 'Wells' },
    ...(lesson === undefined ? [] : [{ kind: 'paragraph' as const, text: writePlain(lesson.text) }]),
    ...plates.map(toPicture),
    buildWellsTable(results),
    {
      kind: 'paragraph',
      muted: true,
      text: 'The folder “plots” of the data package has a picture of every sequence with its wells ringed.',
    },
  ];
}

function buildCautions({ experimentType }: PackagedExperiment): PdfBlock[] {
  const lesson = findShownAssay(experimentType)?.lesson.doubt;
  if (lesson === undefined) return [];
  return [
    { kind: 'heading', text: lesson.title },
    ...lesson.points.map((point): PdfBlock => ({ kind: 'paragraph', text: `• ${writePlain(point)}` })),
  ];
}

function buildMethodBlocks(experiment: PackagedExperiment, results: readonly PackagedResult[]): PdfBlock[] {
  const done = new WhatWasDone(experiment.experimentType);
  for (const result of results) done.take(result);
  const { paragraphs, settings, inputs } = buildMethods(experiment, results[0], done);
  return [
    { kind: 'heading', text: 'Methods' },
    ...paragraphs.map((each): PdfBlock => ({ kind: 'paragraph', text: writePlain(each) })),
    { kind: 'heading', text: 'Raw files' },
    {
      kind: 'paragraph',
      muted: true,
      text: `SHA-256 of the instrument files behind the numbers: ${inputs.join(', ') || 'none'}.`,
    },
    { kind: 'heading', text: 'Settings of the analysis' },
    {
      kind: 'table',
      columns: SETTING_COLUMNS,
      rows: arrangeInTwo(settings.toSorted(([a], [b]) => a.localeCompare(b, 'en'))),
    },
  ];
}

const SETTING_COLUMNS: readonly PdfColumn[] = [
  { title: 'Setting', align: 'left' },
  { title: 'Value', align: 'left', grows: true },
  { title: 'Setting', align: 'left' },
  { title: 'Value', align: 'left', grows: true },
];

/** Arranges settings in two columns, first down the left one. */
function arrangeInTwo(settings: readonly (readonly [string, string])[]): string[][] {
  const half = Math.ceil(settings.length / 2);
  return settings.slice(0, half).map((left, index) => [...left, ...(settings[half + index] ?? ['', ''])]);
}

/** The wells of the replicates of each sequence, with the value of each. */
type Row = Readonly<Record<string, unknown>>;

/** Makes one row per sequence: `P1 B12: 1.89; P1 H08: > 2.1`, relative to the reference if any replicate is. */
function buildWellsTable(results: readonly PackagedResult[]): PdfBlock {
  const isRelative = results.some((result) =>
    listReplicates(result).some((row) => typeof row.normalized_to_control === 'number'),
  );
  const key = isRelative ? 'normalized_to_control' : 'intensity';
  const unit = results.flatMap(({ quantities }) => quantities.intensity?.unit ?? [])[0] ?? '';
  const name = isRelative ? 'relative intensity' : `intensity${unit === '' ? '' : ` (${unit})`}`;
  return {
    kind: 'table',
    columns: [
      { title: '#', align: 'right' },
      { title: 'Sequence', align: 'left', grows: true },
      { title: `Replicates: plate, well, ${name}`, align: 'left', grows: true },
    ],
    rows: results.map((result) => [
      result.place === null ? '' : String(result.place),
      result.sequence_name,
      listReplicates(result)
        .map((row) => formatReplicate(row, key))
        .join('; '),
    ]),
  };
}

function formatReplicate(row: Row, key: string): string {
  const { plate, well } = row;
  const place = [plate, well].filter((part) => typeof part === 'string').join(' ');
  return `${place}: ${formatValue(row[key], row[`${key}_relation`])}`;
}

function formatValue(value: unknown, relation: unknown): string {
  if (typeof value !== 'number') return 'no value';
  const parts = formatQuantityParts({ value, relation: typeof relation === 'string' ? relation : '=' });
  return parts?.number ?? 'no value';
}
