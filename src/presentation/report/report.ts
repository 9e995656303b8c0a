/**
 * The report of an experiment for reading and printing: the results, every curve with its fit, and the methods.
 * This folder: the report of an experiment. Not here: figures themselves (`presentation/figures`).
 */
import { formatRelation } from '#core/relations.ts';
import type { PaperSize } from '#core/paper.ts';
import type { PdfBlock, PdfColumn, PdfDocument, PdfFact } from '../document.ts';
import type { Outcome, Quantity } from '#domain/results/contract.ts';
import { buildDoubtBlocks, findDoubt } from './doubts.ts';
import { formatPower } from '#core/number-words.ts';
import { isRecord } from '#core/records.ts';
import { describeDetectable, formatFlags, formatMolar } from '../words/results.ts';
import { writePlain } from '../words/prose.ts';
import { formatFixed, formatQuantityParts, type QuantityParts } from '../words/quantities.ts';
import type { Scene } from '../scene.ts';
import { findMeanings } from '../data-package/flags.ts';
import { findShownAssay } from '../assays/registry.ts';
import { buildMethods } from '../data-package/methods.ts';
import { chooseMainQuantities } from '../data-package/main-quantities.ts';
import { buildWellsTable } from './wells-table.ts';
import type { PackagedExperiment, PackagedResult } from '../data-package/packaged.ts';
import { SANDBOX_DATA } from '../data-package/texts.ts';
import { OUTCOMES, formatOutcomeCounts, WhatWasDone } from '../data-package/what-was-done.ts';

/** Largest number of figures; the archive beside the report has the figure of every sequence. */
export const PICTURES_MAX = 120;

export interface ReportInput {
  readonly experiment: PackagedExperiment;
  /** All results, best first. */
  readonly results: readonly PackagedResult[];
  /** Figures of the first `PICTURES_MAX` results that have their own curves, in the same order. */
  readonly pictures: readonly Scene[];
  /** The replicates of each sequence in one plot; shown in place of the figures where there are none. */
  readonly overlays: readonly Scene[];
  /** The plates that the sequences of a fluorescence experiment share. */
  readonly plates: readonly Scene[];
  /** Figures of the whole experiment: the ranking, the map of rates, the plates. */
  readonly overviews: readonly Scene[];
  readonly issuer: string;
  readonly paper: PaperSize;
}

export function buildReportDocument(input: ReportInput): PdfDocument {
  const { experiment, results, issuer, paper } = input;
  return {
    title: `Report ${experiment.code}`,
    author: issuer,
    subject: `${findShownAssay(experiment.experimentType)?.reportName ?? experiment.experimentType} of ${experiment.name}`,
    language: 'en',
    paper,
    createdAt: experiment.releasedAt.toISOString(),
    footer: `${experiment.code} · ${experiment.name}`,
    blocks: [
      ...buildHead(experiment, results, issuer),
      ...buildRanking(experiment, results),
      ...buildDoubtBlocks(results),
      ...buildFlagBlocks(results),
      ...buildOverview(input),
      ...buildCurves(input),
      ...buildPlateBlocks(experiment, results, input.plates),
      ...buildCautions(experiment),
      ...buildMethodBlocks(experiment, results),
    ],
  };
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
    { kind: 'paragraph', text: describeOutcomes(results) },
  ];
}

/** Returns the flags that every sequence has, which are stated once. */
function findCommonFlags(results: readonly PackagedResult[]): Set<string> {
  const [first] = results;
  if (first === undefined || results.length < COMMON_FROM) return new Set();
  return new Set(first.qc.flags.filter((flag) => results.every(({ qc }) => qc.flags.includes(flag))));
}

const COMMON_FROM = 3;

/** `Of 52 sequences 40 were measured, 9 are without detected binding, 3 were not expressed.` */
function describeOutcomes(results: readonly PackagedResult[]): string {
  const common = findCommonFlags(results);
  const flagged = results.filter(({ qc }) => qc.flags.some((flag) => !common.has(flag))).length;
  const carry = flagged === 1 ? '1 carries' : `${flagged} carry`;
  const all = common.size === 0 ? '' : ` All carry: ${formatFlags([...common])}.`;
  const which = common.size === 0 ? 'at least one quality flag' : 'others';
  const remark = `${all}${flagged === 0 ? '' : ` ${carry} ${which}, named in the table.`}`;
  return `Of ${results.length} ${results.length === 1 ? 'sequence' : 'sequences'}: ${formatOutcomeCounts(results)}.${remark}`;
}

function buildRanking(
  { experimentType }: PackagedExperiment,
  results: readonly PackagedResult[],
): PdfBlock[] {
  const shown = chooseMainQuantities(experimentType, results);
  const isScreen = findShownAssay(experimentType)?.isCall === true;
  const common = findCommonFlags(results);
  const hasRemarks = results.some((result) => describeRemarks(result, common) !== '');
  const columns: PdfColumn[] = [
    { title: '#', align: 'right' },
    { title: 'Sequence', align: 'left', grows: true },
    ...shown.map((name, index): PdfColumn => {
      const title = QUANTITY_NAMES[name] ?? name;
      return {
        title: index === 0 && hasIntervals(results, name) ? `${title} (95% CI)` : title,
        align: 'right',
      };
    }),
    ...(isScreen ? SCREEN_COLUMNS : []),
    { title: 'n', align: 'right' },
    ...(hasRemarks ? [{ title: 'Remarks', align: 'left', grows: true } as const] : []),
  ];
  const rows = results.map((result) => [
    result.place === null ? '' : String(result.place),
    result.is_control ? `${result.sequence_name} (control)` : result.sequence_name,
    ...shown.map((name, index) => writeQuantityCell(result, name, index === 0)),
    ...(isScreen ? writeScreeningCells(result) : []),
    `${result.n_replicates_passed}/${result.n_replicates}`,
    ...(hasRemarks ? [describeRemarks(result, common)] : []),
  ]);
  const isPrinted = results.every(({ sequence_name: name }) => !BEYOND_FONT.test(name));
  return [
    { kind: 'heading', text: 'Ranking' },
    { kind: 'table', columns, rows },
    {
      kind: 'paragraph',
      muted: true,
      text: `In brackets: 95 % confidence interval, of the mean over replicates or of the single one. “<” and “>” are limits of what the assay resolves, “≈” is an estimate. n: replicates that passed, of those measured.${isPrinted ? '' : ' □ stands for a letter that the font of this report does not have; the tables of the data package have it.'}`,
    },
  ];
}

const SCREEN_COLUMNS: readonly PdfColumn[] = [
  { title: 'Binding', align: 'left' },
  { title: 'Response', align: 'right' },
  { title: 'Threshold', align: 'right' },
];
const CALLS: Readonly<Record<string, string>> = { binder: 'yes', non_binder: 'no' };

/** A screen gives yes or no, with the response and the threshold behind it. */
function writeScreeningCells({ outcome, rows: [row = {}] }: PackagedResult): string[] {
  const { call, response, threshold, response_unit: unit } = row;
  const isCalled = outcome === 'measured' || outcome === 'non_binder' || outcome === 'inconclusive';
  const after = typeof unit === 'string' ? ` ${unit}` : '';
  const formatShown = (value: unknown) =>
    typeof value === 'number' ? `${formatFixed(value, 3)}${after}` : '';
  return [
    isCalled && typeof call === 'string' ? (CALLS[call] ?? call) : '',
    formatShown(response),
    formatShown(threshold),
  ];
}

/** Scripts that the font of the documents lacks. */
const BEYOND_FONT = /[\u1100-\u1dff\u2e80-\uffff]|[\ud800-\udfff]/u;

function hasIntervals(results: readonly PackagedResult[], name: string): boolean {
  return results.some(({ quantities }) => typeof quantities[name]?.ci95_low === 'number');
}

function readSettings(result: PackagedResult | undefined): Readonly<Record<string, unknown>> {
  const { settings } = result?.analysis ?? {};
  return isRecord(settings) ? settings : {};
}

function buildFlagBlocks(results: readonly PackagedResult[]): PdfBlock[] {
  const found = findMeanings(
    results.flatMap(({ qc }) => qc.flags),
    readSettings(results[0]),
  );
  if (found.length === 0) return [];
  const columns: PdfColumn[] = [
    { title: 'Flag', align: 'left' },
    { title: 'Meaning', align: 'left', grows: true },
    { title: 'Sequences', align: 'right' },
  ];
  const rows = found.map(([flag, meaning]) => [
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
  const hasValue = results.some(({ quantities }) =>
    Object.values(quantities).some(({ value }) => value !== null),
  );
  if (overviews.length === 0 || !(hasValue || findShownAssay(experiment.experimentType)?.isCall === true))
    return [];
  return [
    { kind: 'heading', text: 'All results' },
    ...overviews.map((scene): PdfBlock => ({ kind: 'picture', scene })),
  ];
}

const QUANTITY_NAMES: Readonly<Record<string, string>> = {
  kd: 'KD',
  kon: 'kon (1/(M·s))',
  koff: 'koff (1/s)',
  kd_estimate: 'KD estimate',
  response: 'Response',
  tm: 'Tm',
  tonset: 'Onset',
  delta_tm_vs_control: 'ΔTm',
  yield_ng_per_ul: 'Yield',
  molar_um: 'Concentration',
  normalized_to_control: 'Relative intensity',
  log2_fold: 'log2 fold',
  intensity: 'Intensity',
};

/** Short forms for a narrow column. */
const SHORT_OUTCOMES: Readonly<Record<Outcome, string>> = {
  ...OUTCOMES,
  non_binder: 'no binding found',
  inconclusive: 'inconclusive',
  failed_qc: 'failed QC',
};

function describeRemarks(
  { outcome, qc, rows: [row = {}] }: PackagedResult,
  common: ReadonlySet<string>,
): string {
  const words = outcome === 'measured' ? [] : [SHORT_OUTCOMES[outcome]];
  const seen = outcome === 'non_binder' ? describeDetectable(row) : undefined;
  if (seen !== undefined) words.push(seen);
  const own = qc.flags.filter((flag) => !common.has(flag));
  return [...words, ...(own.length === 0 ? [] : [formatFlags(own)])].join('; ');
}

/** Where the model is in doubt the candidates stand side by side, because one KD would say too much. */
function writeQuantityCell(result: PackagedResult, name: string, withInterval: boolean): string {
  const doubt = name === 'kd' ? findDoubt(result) : undefined;
  if (doubt === undefined) return formatQuantity(result.quantities[name], withInterval);
  return doubt.candidates.map(({ kd }) => `≈ ${kd}`).join(' or ');
}

/** `174 nM (161–187)`, `> 2 µM`, `8.5×10⁴`, `115 ng/µL (78–170)`. */
function formatQuantity(quantity: Quantity | undefined, withInterval: boolean): string {
  if (quantity === undefined || quantity.value === null) return '';
  const parts = splitQuantity(quantity);
  if (parts === undefined) return '';
  return withInterval && parts.interval !== undefined ? `${parts.value} (${parts.interval})` : parts.value;
}

const RATES = new Set(['1/(M·s)', '1/s']);

/** Molar concentrations get their own unit; rates show only their power of ten. */
function splitQuantity(quantity: Quantity): Pick<QuantityParts, 'value' | 'interval'> | undefined {
  const { value, unit, relation } = quantity;
  if (unit === 'M') {
    const said = formatMolar(quantity);
    return said && { value: said.signed, interval: said.interval };
  }
  if (value !== null && RATES.has(unit)) {
    return { value: `${formatRelation(relation)}${formatPower(value)}`, interval: undefined };
  }
  return formatQuantityParts(quantity);
}

function buildCurves({ experiment, results, pictures, overlays }: ReportInput): PdfBlock[] {
  if (pictures.length + overlays.length === 0) return [];
  const lesson = findShownAssay(experiment.experimentType)?.lesson.curves;
  const left = results.length - pictures.length;
  const more = `The first ${pictures.length} of ${results.length} are shown; the folder “plots” of the data package has them all.`;
  return [
    { kind: 'heading', text: 'Curves' },
    ...(lesson === undefined ? [] : [{ kind: 'paragraph' as const, text: writePlain(lesson.text) }]),
    ...(left > 0 && pictures.length === PICTURES_MAX ? [{ kind: 'paragraph' as const, text: more }] : []),
    ...(pictures.length === 0 ? [{ kind: 'paragraph' as const, text: ELSEWHERE }] : []),
    ...[...overlays, ...pictures].map((scene): PdfBlock => ({ kind: 'picture', scene })),
  ];
}

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
    ...plates.map((scene): PdfBlock => ({ kind: 'picture', scene })),
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
