/** The sequences without a value, a line each: what was tried, what was seen, and what the run would have shown. */
import { isRecord } from '#core/records.ts';
import { formatConcentration } from '#core/number-words.ts';
import type { PdfBlock, PdfColumn } from '#documents/document.ts';
import { findShownAssay, formatOutcome } from '#assays/shown.ts';
import {
  chooseMainQuantities,
  formatQuantityCell,
  nameQuantity,
  findCommonFlags,
  formatOwnFlags,
  joinRemarks,
  formatSequence,
  formatSignal,
} from './cells.ts';
import { listReplicates, type PackagedResult } from '../package/packaged.ts';
import { formatOutcomeCounts } from '../package/what-was-done.ts';
import { formatReplicateOutcome } from '../words/models.ts';
import { formatShortGrade } from '../words/outcomes.ts';
import { formatFixed } from '../words/quantities.ts';
import { formatMolar } from '../words/results.ts';
import { formatPassedOfOrdered } from '../words/replicates.ts';

interface OwnColumn extends PdfColumn {
  readonly getCell: (result: PackagedResult) => string;
  /** What the column says, where its title cannot. */
  readonly note?: string;
}

/** `all` are the results of the experiment, whose common flags are stated elsewhere; `others` those without a value. */
export function buildWithoutValue(
  experimentType: string,
  all: readonly PackagedResult[],
  others: readonly PackagedResult[],
): PdfBlock[] {
  if (others.length === 0) return [];
  const columns = listColumns(experimentType, all, others).filter(
    ({ getCell, isAlways = false }) => isAlways || others.some((result) => getCell(result) !== ''),
  );
  const isScreen = findShownAssay(experimentType)?.isCall === true;
  const notes = columns.flatMap(({ note }) => note ?? []);
  return [
    { kind: 'heading', text: isScreen ? 'Other sequences' : 'Sequences without a value' },
    { kind: 'paragraph', text: `${formatOutcomeCounts(others, experimentType)}.` },
    {
      kind: 'table',
      columns: columns.map(({ title, align, grows = false }) => ({ title, align, grows })),
      rows: others.map((result) => columns.map(({ getCell }) => getCell(result))),
    },
    ...(notes.length === 0 ? [] : [{ kind: 'paragraph' as const, muted: true, text: notes.join(' ') }]),
  ];
}

function listColumns(
  experimentType: string,
  all: readonly PackagedResult[],
  others: readonly PackagedResult[],
): (OwnColumn & { readonly isAlways?: boolean })[] {
  const common = findCommonFlags(all);
  const quantities = chooseMainQuantities(experimentType, others);
  const nameOutcome = ({ outcome, rows: [row = {}] }: PackagedResult): string =>
    formatOutcome({ outcome, row }, experimentType);
  return [
    { title: 'Grade', align: 'left', getCell: formatShortGrade },
    { title: 'Sequence', align: 'left', grows: true, getCell: formatSequence, isAlways: true },
    {
      title: 'Outcome',
      align: 'left',
      isAlways: true,
      getCell: nameOutcome,
    },
    { title: 'Highest conc.', align: 'right', getCell: formatHighestConcentration },
    ...(findShownAssay(experimentType)?.isCall === true ? SCREENING_COLUMNS : [SIGNAL_TO_NOISE]),
    KD_EXCLUDED,
    ...quantities.map((name): OwnColumn => ({
      title: nameQuantity(name),
      align: 'right',
      getCell: (result) => formatQuantityCell(result.quantities[name], false),
    })),
    { title: 'Passed', align: 'right', getCell: formatPassedOfOrdered },
    {
      title: 'Remarks',
      align: 'left',
      grows: true,
      getCell: (result) =>
        joinRemarks(formatReason(result), formatOwnFlags(result, common, nameOutcome(result))),
    },
  ];
}

const SCREENING_COLUMNS: readonly OwnColumn[] = [
  { title: 'Response', align: 'right', getCell: (result) => formatSignal(result, 'response') },
  { title: 'Threshold', align: 'right', getCell: (result) => formatSignal(result, 'threshold') },
];

const SIGNAL_TO_NOISE: OwnColumn = {
  title: 'Signal/noise',
  align: 'right',
  getCell: formatSignalToNoise,
  note: 'Signal/noise: the response at the highest concentration over the noise of one reading, mean of the replicates; empty where there was a response to explain.',
};

const KD_EXCLUDED: OwnColumn = {
  title: 'KD excluded',
  align: 'right',
  getCell: ({ outcome, rows: [{ kd_detectable_m: valueM } = {}] }) => {
    if (outcome !== 'non_binder' || typeof valueM !== 'number') return '';
    const kd = formatMolar({ value: valueM, relation: '=' });
    return kd === undefined ? '' : `below ${kd.value}`;
  },
  note: 'KD excluded: a binder with a lower KD would have been seen in this run.',
};

/** The highest concentration of the analyte that counted, or else the highest of the order. */
function formatHighestConcentration({ rows: [row = {}] }: PackagedResult): string {
  const { kd_detectable_basis: basis, concentrations_m: doses } = row;
  const topConcentrationM = isRecord(basis) ? basis.top_concentration_m : undefined;
  const listed = (Array.isArray(doses) ? doses : []).filter(
    (dose): dose is number => typeof dose === 'number',
  );
  const highest = typeof topConcentrationM === 'number' ? topConcentrationM : Math.max(...listed);
  return Number.isFinite(highest) ? formatConcentration(highest) : '';
}

function formatSignalToNoise(result: PackagedResult): string {
  const ratios = listReplicates(result).flatMap(({ response, kd_detectable_basis: basis }) => {
    const noise = isRecord(basis) ? basis.noise : undefined;
    return typeof response === 'number' && typeof noise === 'number' && noise > 0 ? [response / noise] : [];
  });
  if (ratios.length === 0) return '';
  const mean = ratios.reduce((sum, each) => sum + each, 0) / ratios.length;
  return formatFixed(mean, Math.abs(mean) < 10 ? 1 : 0);
}

/** Why there is no value, where the record says so. */
function formatReason({ rows: [{ no_transition_reason: reason } = {}] }: PackagedResult): string {
  return typeof reason === 'string' ? formatReplicateOutcome(reason) : '';
}
