/** The fields of downloads, and the request of a file that they make. */
import { formatWell, listPlaces } from '#core/wells.ts';
import { getField, type Form } from '#ui/http.ts';
import type { PlanState } from './plan-state.ts';

const NM_PER_M = 1e9;
const SOURCE_SIZE = 96;

/** The values of the form, as they were typed. */
export interface FileFields {
  readonly sources: string;
  readonly volume_ul: string;
  readonly liquid_class: string;
  readonly source_type: string;
  readonly destination_type: string;
  readonly source_labware: string;
  readonly source_slot: string;
  readonly destination_labware: string;
  readonly destination_slot: string;
  readonly aspiration_height_mm: string;
  readonly reporter: string;
}

export interface FileDraft {
  readonly fields: FileFields;
  /** Why no file was written. */
  readonly problems: readonly string[];
}

/** Proposes that the samples of the plan stand one after another, down the columns of source plates. */
export function createFileDraft({ plan }: Pick<PlanState, 'plan'>): FileDraft {
  const samples = new Set(plan.plates.flatMap(({ wells }) => wells.map(({ sample }) => sample)));
  const places = listPlaces(SOURCE_SIZE).map(formatWell);
  const lines = [...samples]
    .filter((sample) => sample !== '')
    .map((sample, index) => {
      const plate = `S${Math.floor(index / SOURCE_SIZE) + 1}`;
      return `${sample}, ${plate}, ${SOURCE_SIZE}, ${places[index % SOURCE_SIZE] ?? ''}`;
    });
  return {
    fields: {
      sources: lines.join('\n'),
      volume_ul: '10',
      liquid_class: '',
      source_type: '',
      destination_type: '',
      source_labware: '',
      source_slot: '1',
      destination_labware: '',
      destination_slot: '2',
      aspiration_height_mm: '1',
      reporter: 'SYPRO Orange',
    },
    problems: [],
  };
}

export function parseFileFields(form: Form): FileFields {
  return {
    sources: getField(form, 'sources'),
    volume_ul: getField(form, 'volume_ul'),
    liquid_class: getField(form, 'liquid_class'),
    source_type: getField(form, 'source_type'),
    destination_type: getField(form, 'destination_type'),
    source_labware: getField(form, 'source_labware'),
    source_slot: getField(form, 'source_slot'),
    destination_labware: getField(form, 'destination_labware'),
    destination_slot: getField(form, 'destination_slot'),
    aspiration_height_mm: getField(form, 'aspiration_height_mm'),
    reporter: getField(form, 'reporter'),
  };
}

/** Builds the members of the request that a file of this kind needs, and finds rows that are no source. */
export function buildFileRequest(kind: string, fields: FileFields): { body: object; problems: string[] } {
  if (['plate_list', 'plate_blocks', 'loading_list'].includes(kind)) return { body: {}, problems: [] };
  if (kind === 'quantstudio_setup') return { body: takeFilled({ reporter: fields.reporter }), problems: [] };
  const { sources, problems } = readSources(fields.sources);
  const dispensing = { sources, volume_ul: Number(fields.volume_ul) };
  if (kind === 'tecan_worklist')
    return { body: { ...dispensing, ...takeFilled({ liquid_class: fields.liquid_class }) }, problems };
  if (kind === 'echo_pick_list') {
    const { source_type: source, destination_type: destination } = fields;
    const body = source === '' || destination === '' ? {} : { plate_types: { source, destination } };
    return { body: { ...dispensing, ...body }, problems };
  }
  if (kind !== 'opentrons_csv') return { body: dispensing, problems };
  const isNamed = fields.source_labware !== '' && fields.destination_labware !== '';
  const deck = {
    source_labware: fields.source_labware,
    source_slot: Number(fields.source_slot),
    aspiration_height_mm: Number(fields.aspiration_height_mm),
    destination_labware: fields.destination_labware,
    destination_slot: Number(fields.destination_slot),
  };
  return { body: { ...dispensing, ...(isNamed ? { deck } : {}) }, problems };
}

function takeFilled(fields: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
}

function readSources(text: string): { sources: object[]; problems: string[] } {
  const problems: string[] = [];
  const lines = text.split('\n').map((line) => line.trim());
  const sources = lines.flatMap((line, index) => {
    if (line === '') return [];
    // A name may hold commas: the other cells are counted from the end.
    const match =
      /^(.+?)\s*,\s*([^,]+?)\s*,\s*(96|384)\s*,\s*([A-P]\d{1,2})\s*(?:,\s*([\d.eE+-]+)\s*)?$/.exec(line);
    const [, sample, plate, size, well, level] = match ?? [];
    const valueNm = level === undefined ? null : Number(level);
    if (match === null || Number.isNaN(valueNm)) {
      problems.push(
        `Row ${index + 1} of the sources, “${line.slice(0, 80)}”, is none of the form “design-1, S1, 96, A1”: mend it.`,
      );
      return [];
    }
    const concentration = valueNm === null ? null : Number((valueNm / NM_PER_M).toPrecision(12));
    return { sample, plate, size: Number(size), well, concentration_m: concentration };
  });
  return { sources, problems };
}
