/** A plate of fluorescent proteins: what the wells hold, what their places do, what the reader writes. */
import type { SimulatedRun } from './family.ts';
import { COLUMN_COUNT, ROWS, writeBlock, writePlateMap } from './plate-map.ts';
import type { Random } from './random.ts';

export const JUDGED = 'design-1';

export type Content = 'sample' | 'positive_control' | 'negative_control' | 'blank';

export interface FluorescentWell {
  readonly row: number;
  readonly column: number;
  readonly role: Content;
  readonly sample: string;
  readonly replicate: number;
}

/** What the plate holds, before anybody decides where. */
export interface Occupant {
  readonly role: Content;
  readonly sample: string;
  readonly replicate: number;
}

/** The light of a plate, in RFU. */
export interface PlateLight {
  readonly reference: number;
  readonly blank: number;
  readonly darkShare: number;
  /** Brightness by design, relative to the reference. */
  readonly relative: ReadonlyMap<string, number>;
  readonly cv: number;
}

export function drawLight(random: Random, designs: number, judged: number): PlateLight {
  const others = Array.from(
    { length: designs - 1 },
    (_, i) => [`design-${i + 2}`, random.logUniform(0.05, 2.5)] as const,
  );
  return {
    reference: random.logUniform(1500, 20_000),
    blank: random.logUniform(40, 400),
    darkShare: random.uniform(0.005, 0.03),
    relative: new Map([[JUDGED, judged], ...others]),
    cv: random.uniform(0.02, 0.08),
  };
}

export function listOccupants(
  designs: number,
  counts: { replicates: number; references: number; darks: number; blanks: number },
): Occupant[] {
  const repeat = (role: Content, sample: string, count: number) =>
    Array.from({ length: count }, (_, i): Occupant => ({ role, sample, replicate: i + 1 }));
  const samples = Array.from({ length: designs }, (_, i) =>
    repeat('sample', `design-${i + 1}`, counts.replicates),
  );
  return [
    ...samples.flat(),
    ...repeat('positive_control', 'reference', counts.references),
    ...repeat('negative_control', 'dark', counts.darks),
    ...repeat('blank', '', counts.blanks),
  ];
}

/** Spreads the occupants over the plate at random. */
export function shuffleOver(random: Random, occupants: readonly Occupant[]): FluorescentWell[] {
  const places = Array.from({ length: ROWS.length * COLUMN_COUNT }, (_, i) => i);
  for (let i = places.length - 1; i > 0; i -= 1) {
    const j = random.integer(0, i);
    [places[i], places[j]] = [places[j] ?? 0, places[i] ?? 0];
  }
  return occupants.map((each, i) => placeAt(each, places[i] ?? 0));
}

/** Fills the plate down its columns, as a hand does. */
export function fillColumns(occupants: readonly Occupant[]): FluorescentWell[] {
  return occupants.map(placeAt);
}

function placeAt(each: Occupant, place: number): FluorescentWell {
  return { ...each, row: place % ROWS.length, column: Math.floor(place / ROWS.length) };
}

export interface Reading {
  /** What the place of a well does to its light. */
  readonly placeFactor?: (well: FluorescentWell) => number;
  /** Light that does not belong into a well, in RFU. */
  readonly addedLight?: (well: FluorescentWell) => number;
  /** The highest value of the detector, and whether the reader writes it or a word for it. */
  readonly detector?: { readonly limit: number; readonly writesWord: boolean };
}

/** Reads every well; null is an overflow. */
export function readPlate(
  random: Random,
  wells: readonly FluorescentWell[],
  light: PlateLight,
  { placeFactor = () => 1, addedLight = () => 0, detector }: Reading,
): ReadonlyMap<FluorescentWell, string> {
  const read = wells.map((each) => {
    const protein = computeProteinLight(each, light) * Math.exp(light.cv * random.normal());
    const photons = light.blank + (protein + addedLight(each)) * placeFactor(each);
    const value = photons + 0.7 * Math.sqrt(photons) * random.normal();
    if (detector === undefined || value < detector.limit) return [each, value.toFixed(0)] as const;
    return [each, detector.writesWord ? 'OVER' : String(detector.limit)] as const;
  });
  return new Map(read);
}

function computeProteinLight({ role, sample }: FluorescentWell, light: PlateLight): number {
  if (role === 'blank') return 0;
  if (role === 'negative_control') return light.reference * light.darkShare;
  return light.reference * (role === 'positive_control' ? 1 : (light.relative.get(sample) ?? 0));
}

const SEQUENCE =
  'MSKGEELFTGVVPILVELDGDVNGHKFSVSGEGEGDATYGKLTLKFICTTGKLPVPWPTLVTTFSYGVQCFSRYPDHMKQHDFFKSAMPEGYVQERTIF';

export function createFluorescenceRun(
  values: ReadonlyMap<FluorescentWell, string>,
  light: PlateLight,
  layout: 'own' | 'blocks',
  facts: SimulatedRun['truth']['facts'],
): SimulatedRun {
  const relative = light.relative.get(JUDGED) ?? Number.NaN;
  const wells = [...values].map(([each, value]) => ({
    ...each,
    value,
    well: `${ROWS.charAt(each.row)}${each.column + 1}`,
    ngPerUl: null,
  }));
  const file = layout === 'own' ? writeOwn(wells) : writeBlocks(wells);
  return {
    run: {
      experimentType: 'fluorescence',
      method: null,
      files: [file],
      sequences: Object.fromEntries([...light.relative.keys()].map((name) => [name, SEQUENCE])),
      orderedNm: null,
    },
    truth: {
      sequence: JUDGED,
      quantity: 'normalized_to_control',
      value: relative,
      tolerance: { kind: 'relative', by: 0.3 },
      intensity: relative * light.reference,
      facts: { ...facts, relative, reference: light.reference, blank: light.blank, cv: light.cv, layout },
    },
  };
}

type WrittenWell = FluorescentWell & {
  readonly value: string;
  readonly well: string;
  readonly ngPerUl: null;
};

function writeOwn(wells: readonly WrittenWell[]) {
  const text = [
    '# assayer-plate: 1',
    '# instrument: plate reader',
    '# plate: P1',
    '# unit: RFU',
    'well,role,sample,replicate,concentration_m,concentration_ng_per_ul',
    ...wells.map(({ well, role, sample, replicate }) => `${well},${role},${sample},${replicate},,`),
    '',
    'well,channel,ex_nm,em_nm,gain,value',
    ...wells.map(({ well, value }) => `${well},fluorescence,485,520,80,${value}`),
    '',
  ].join('\n');
  return { name: 'plate.csv', text };
}

function writeBlocks(wells: readonly WrittenWell[]) {
  const values = writeBlock('Fluorescence 485/520 gain 80', wells, ({ value }) => value);
  return {
    name: 'reader.csv',
    text: `Instrument,plate reader\nPlate,P1\n\n${values}\n${writePlateMap(wells)}`,
  };
}
