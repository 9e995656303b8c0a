/** Worklists of pipetting robots. Columns and units are those that the makers' tools and their users publish. */
import { locateWellOn, formatWell, countDownColumns } from '#core/wells.ts';
import { writeCsvField } from '#core/csv.ts';
import { joinLines, type PlannedContent, type PlannedPlate, type RunPlan } from './run-file.ts';
import { formatConcentration } from '#core/number-words.ts';

/** The text of a worklist, or every reason why there is none. */
export type Worklist = { readonly text: string } | { readonly problems: readonly string[] };

const LABEL_MAX = 32;
/** An acoustic dispenser transfers drops of this volume. */
export const DROP_NL = 2.5;

/**
 * Tecan worklist: aspirate, dispense, wash. Positions count down the columns; volumes in µL. Labels have at most 32 characters
 * and no semicolon.
 */
export function writeTecanWorklist(transfers: readonly Transfer[], liquidClass: string): Worklist {
  const labels = new Set(transfers.flatMap(({ source, destination }) => [source.plate, destination.plate]));
  const problems = [...labels, liquidClass].filter(isBadLabel).map(describeBadLabel);
  if (problems.length > 0) return { problems };
  const lines = transfers.flatMap(({ source, destination, volumeUl }) => [
    writeStep('A', source, volumeUl, liquidClass),
    writeStep('D', destination, volumeUl, liquidClass),
    'W;',
  ]);
  return { text: joinLines(lines) };
}

function isBadLabel(label: string): boolean {
  return label === '' || label.length > LABEL_MAX || /[;\r\n]/.test(label);
}

function describeBadLabel(label: string): string {
  return `The label “${label}” does not fit a worklist: use 1 to ${LABEL_MAX} characters without a semicolon.`;
}

/** `A;RackLabel;RackID;RackType;Position;TubeID;Volume;LiquidClass;TipType;TipMask;ForcedRackType`. */
function writeStep(
  step: 'A' | 'D',
  { plate, size, well }: { plate: string; size: PlateSize; well: string },
  volumeUl: number,
  liquidClass: string,
): string {
  const place = requirePlace(size, well);
  return `${step};${plate};;;${countDownColumns(size, place)};;${volumeUl.toFixed(2)};${liquidClass};;;`;
}

/** Throws RangeError for a well outside its plate, which `listTransfers` cannot give for a valid plan. */
function requirePlace(size: PlateSize, well: string): { row: number; column: number } {
  const place = locateWellOn(size, well);
  if (place === null) throw new RangeError(`There is no well ${well} on a plate of ${size} wells.`);
  return place;
}

/** Returns the name without leading zeros. */
function formatPlain({ size, well }: { size: PlateSize; well: string }): string {
  return formatWell(requirePlace(size, well));
}

export interface EchoPlateTypes {
  readonly source: string;
  readonly destination: string;
}

/** Echo pick list: volumes in nL, in drops of 2.5 nL. */
export function writeEchoPickList(transfers: readonly Transfer[], types: EchoPlateTypes): Worklist {
  const header =
    'Source Plate Name,Source Plate Type,Source Well,Destination Plate Name,Destination Plate Type,Destination Well,Transfer Volume';
  return writeRows(header, transfers, ({ source, destination, volumeUl }) => [
    source.plate,
    types.source,
    formatPlain(source),
    destination.plate,
    types.destination,
    formatPlain(destination),
    toNl(volumeUl),
  ]);
}

function toNl(volumeUl: number): number {
  return Number((volumeUl * 1000).toPrecision(12));
}

/** Hamilton worklist: volumes in µL. The method on the robot maps the columns. */
export function writeHamiltonWorklist(transfers: readonly Transfer[]): Worklist {
  const header = 'Source Plate Name,Source Well,Destination Plate Name,Destination Well,Transfer Volume';
  return writeRows(header, transfers, ({ source, destination, volumeUl }) => [
    source.plate,
    formatPlain(source),
    destination.plate,
    formatPlain(destination),
    volumeUl,
  ]);
}

/** What stands where on the deck of an Opentrons robot. */
export interface OpentronsDeck {
  readonly source_labware: string;
  readonly source_slot: number;
  /** In mm above the bottom. */
  readonly aspiration_height_mm: number;
  readonly destination_labware: string;
  readonly destination_slot: number;
}

const SLOTS = 11;

/** Opentrons cherry-picking CSV: volumes in µL. The deck has one source plate. */
export function writeOpentronsCsv(transfers: readonly Transfer[], deck: OpentronsDeck): Worklist {
  const problems = [deck.source_slot, deck.destination_slot]
    .filter((slot) => !Number.isInteger(slot) || slot < 1 || slot > SLOTS)
    .map((slot) => `There is no slot ${slot}: choose 1 to ${SLOTS}.`);
  if (deck.source_slot === deck.destination_slot)
    problems.push(`Both plates are in slot ${deck.source_slot}: give each a slot of its own.`);
  const plates = [...new Set(transfers.map(({ source }) => source.plate))];
  if (plates.length > 1)
    problems.push(
      `The sources are on ${plates.length} plates (${plates.join(', ')}), and this file names one slot for them: put them on one plate.`,
    );
  if (problems.length > 0) return { problems };
  const header =
    'Source Labware,Source Slot,Source Well,Source Aspiration Height Above Bottom (in mm),Dest Labware,Dest Slot,Dest Well,Volume (in ul)';
  return writeRows(header, transfers, ({ source, destination, volumeUl }) => [
    deck.source_labware,
    deck.source_slot,
    formatPlain(source),
    deck.aspiration_height_mm,
    deck.destination_labware,
    deck.destination_slot,
    formatPlain(destination),
    volumeUl,
  ]);
}

function writeRows(
  header: string,
  transfers: readonly Transfer[],
  listFields: (transfer: Transfer) => readonly (string | number)[],
): Worklist {
  const rows = transfers.map((transfer) =>
    listFields(transfer)
      .map((field) => writeCsvField(String(field)))
      .join(','),
  );
  return { text: joinLines([header, ...rows]) };
}

/** What a robot moves for a plate: from the well of a source to the well of the plan. */

type PlateSize = RunPlan['size'];

/** Where the lab keeps a sample, a control or a dilution. */
export interface Source {
  readonly sample: string;
  /** Null: any concentration is made from it. */
  readonly concentrationM: number | null;
  readonly plate: string;
  readonly size: PlateSize;
  readonly well: string;
}

export interface Transfer {
  readonly source: Pick<Source, 'plate' | 'size' | 'well'>;
  readonly destination: { readonly plate: string; readonly size: PlateSize; readonly well: string };
  readonly volumeUl: number;
}

type ListedTransfers = { readonly transfers: readonly Transfer[] } | { readonly problems: readonly string[] };

/** Volumes of robots are above 0 and at most 10 mL. */
const VOLUME_MAX_UL = 10_000;
/** Rounding errors of decimal fractions are far below this share of a step. */
const STEP_TOLERANCE = 1e-6;

/**
 * Lists a transfer for each filled well; names every content that no source holds. Volume in µL; `stepUl` is the smallest
 * difference that the file can carry, in µL.
 */
export function listTransfers(
  { size }: Pick<RunPlan, 'size'>,
  { name, wells }: PlannedPlate,
  { sources, volumeUl, stepUl }: { sources: readonly Source[]; volumeUl: number; stepUl: number },
): ListedTransfers {
  if (!(volumeUl > 0 && volumeUl <= VOLUME_MAX_UL))
    return {
      problems: [`The volume is ${volumeUl} µL: choose one above 0 and up to ${VOLUME_MAX_UL} µL.`],
    };
  const steps = volumeUl / stepUl;
  if (Math.round(steps) < 1 || Math.abs(steps - Math.round(steps)) > STEP_TOLERANCE)
    return {
      problems: [
        `The volume is ${volumeUl} µL, and the file carries steps of ${stepUl} µL: choose a multiple of ${stepUl} µL.`,
      ],
    };
  const problems = new Set<string>(sources.filter(isOutside).map(describeOutside));
  const transfers = wells.flatMap((well): Transfer[] => {
    if (well.role === 'reference') return [];
    const source = findSource(sources, well);
    if (source === undefined) {
      problems.add(
        `${describeContent(well)} has no source: say in which well of which source plate it stands.`,
      );
      return [];
    }
    return [{ source, destination: { plate: name, size, well: well.well }, volumeUl }];
  });
  return problems.size > 0 ? { problems: [...problems] } : { transfers };
}

function isOutside({ size, well }: Source): boolean {
  return locateWellOn(size, well) === null;
}

function describeOutside({ plate, size, well, sample }: Source): string {
  return `The source of ${sample} is well ${well} of plate ${plate}, which has ${size} wells: choose a well such as A1.`;
}

/** A source of the very concentration comes before one of any. */
function findSource(
  sources: readonly Source[],
  { sample, concentrationM }: PlannedContent,
): Source | undefined {
  const own = sources.filter((source) => source.sample === sample);
  return (
    own.find((source) => source.concentrationM === concentrationM) ??
    own.find((source) => source.concentrationM === null)
  );
}

function describeContent({ sample, concentrationM }: PlannedContent): string {
  return concentrationM === null ? sample : `${sample} at ${formatConcentration(concentrationM)}`;
}
