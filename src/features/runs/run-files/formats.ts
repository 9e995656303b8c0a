/** The one door to the files of a plan: which there are, and the text of one. */
import type { LayoutName } from '../layouts.ts';
import { writeLoadingList, writeQuantStudioSetup, writePlateBlocks, writePlateList } from './lists.ts';
import { formatFileName } from './run-file.ts';
import type { PlannedPlate, RunPlan, WrittenFile } from './run-file.ts';
import {
  listTransfers,
  type Source,
  type Transfer,
  DROP_NL,
  writeEchoPickList,
  writeHamiltonWorklist,
  writeOpentronsCsv,
  writeTecanWorklist,
  type EchoPlateTypes,
  type OpentronsDeck,
  type Worklist,
} from './worklists.ts';

/** What a worklist needs beside the plan. */
export interface Dispensing {
  readonly sources: readonly Source[];
  readonly volumeUl: number;
}

export type RunFileRequest =
  | { readonly kind: 'plate_list' | 'plate_blocks' | 'loading_list' }
  | { readonly kind: 'quantstudio_setup'; readonly reporter: string }
  | ({ readonly kind: 'tecan_worklist'; readonly liquidClass: string } & Dispensing)
  | ({ readonly kind: 'echo_pick_list'; readonly plateTypes: EchoPlateTypes } & Dispensing)
  | ({ readonly kind: 'hamilton_worklist' } & Dispensing)
  | ({ readonly kind: 'opentrons_csv'; readonly deck: OpentronsDeck } & Dispensing);

export type RunFileKind = RunFileRequest['kind'];

interface RunFileFormat {
  readonly title: string;
  readonly ending: 'csv' | 'gwl' | 'txt';
  /** Null: for every layout. */
  readonly layouts: readonly LayoutName[] | null;
  /** Null: for every size. */
  readonly sizes: readonly RunPlan['size'][] | null;
}

/** Formats whose columns are published. Import files of other instruments are not known for certain and not written. */
const RUN_FILE_FORMATS: Readonly<Record<RunFileKind, RunFileFormat>> = {
  plate_list: { title: 'plate map, a row per well', ending: 'csv', layouts: null, sizes: null },
  plate_blocks: { title: 'plate map, blocks', ending: 'csv', layouts: null, sizes: null },
  loading_list: {
    title: 'loading list',
    ending: 'csv',
    layouts: ['cycles', 'capillaries'],
    sizes: null,
  },
  quantstudio_setup: {
    title: 'QuantStudio sample setup',
    ending: 'txt',
    layouts: ['melt_wells'],
    sizes: [384],
  },
  tecan_worklist: { title: 'Tecan worklist', ending: 'gwl', layouts: null, sizes: null },
  echo_pick_list: { title: 'Echo pick list', ending: 'csv', layouts: null, sizes: null },
  hamilton_worklist: { title: 'Hamilton worklist', ending: 'csv', layouts: null, sizes: null },
  opentrons_csv: { title: 'Opentrons CSV', ending: 'csv', layouts: null, sizes: null },
};

/** The smallest volume that a worklist can say, in µL: its decimals, or the drop of an acoustic dispenser. */
const VOLUME_STEPS_UL: Readonly<Record<Extract<RunFileRequest, Dispensing>['kind'], number>> = {
  tecan_worklist: 0.01,
  echo_pick_list: DROP_NL / 1_000,
  hamilton_worklist: 0.001,
  opentrons_csv: 0.001,
};

const MEDIA_TYPES: Readonly<Record<RunFileFormat['ending'], string>> = {
  csv: 'text/csv; charset=utf-8',
  gwl: 'text/plain; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
};

/** Lists the files that a plan of this layout and size has. */
export function listRunFileKinds({ layout, size }: Pick<RunPlan, 'layout' | 'size'>): RunFileKind[] {
  const kinds: RunFileKind[] = [
    'plate_list',
    'plate_blocks',
    'loading_list',
    'quantstudio_setup',
    'tecan_worklist',
    'echo_pick_list',
    'hamilton_worklist',
    'opentrons_csv',
  ];
  return kinds.filter((kind) => {
    const { layouts, sizes } = RUN_FILE_FORMATS[kind];
    return (layouts?.includes(layout) ?? true) && (sizes?.includes(size) ?? true);
  });
}

/** Writes a file of one plate. */
export function writeRunFile(plan: RunPlan, plateName: string, request: RunFileRequest): WrittenFile {
  const plate = plan.plates.find(({ name }) => name === plateName);
  if (plate === undefined) {
    const names = plan.plates.map(({ name }) => name).join(', ');
    return { problems: [`The plan has no plate ${plateName}: choose ${names}.`] };
  }
  const { title, ending } = RUN_FILE_FORMATS[request.kind];
  if (!listRunFileKinds(plan).includes(request.kind))
    return {
      problems: [
        `A ${title} is not written for this layout and size: choose ${listRunFileKinds(plan).join(', ')}.`,
      ],
    };
  const written = writeText(plan, plate, request);
  if ('problems' in written) return written;
  const fileName = formatFileName([plateName, request.kind], ending);
  return { fileName, mediaType: MEDIA_TYPES[ending], text: written.text };
}

function writeText(plan: RunPlan, plate: PlannedPlate, request: RunFileRequest): Worklist {
  switch (request.kind) {
    case 'plate_list':
      return { text: writePlateList([plate]) };
    case 'plate_blocks':
      return { text: writePlateBlocks(plan, plate) };
    case 'loading_list':
      return { text: writeLoadingList(plate) };
    case 'quantstudio_setup':
      return writeQuantStudioSetup(plan, plate, request.reporter);
    default: {
      const listed = listTransfers(plan, plate, { ...request, stepUl: VOLUME_STEPS_UL[request.kind] });
      return 'problems' in listed ? listed : writeWorklist(listed.transfers, request);
    }
  }
}

function writeWorklist(
  transfers: readonly Transfer[],
  request: Extract<RunFileRequest, Dispensing>,
): Worklist {
  switch (request.kind) {
    case 'tecan_worklist':
      return writeTecanWorklist(transfers, request.liquidClass);
    case 'echo_pick_list':
      return writeEchoPickList(transfers, request.plateTypes);
    case 'hamilton_worklist':
      return writeHamiltonWorklist(transfers);
    default:
      return writeOpentronsCsv(transfers, request.deck);
  }
}
