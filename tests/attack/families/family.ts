/**
 * This folder: families of runs, each one kind of fault with random parameters over its plausible range.
 * Not here: how a result is judged.
 */
import type { AssayName } from '#assays/registry.ts';
import type { AttackRun } from '../analyze-run.ts';
import { findKd, isFirm, type Design } from '../instrument/design.ts';
import { SAMPLE, type Recording } from '../instrument/record.ts';
import { createRandom, type Random } from '../physics/random.ts';
import { writeMultiCycle, writeTraces, writeXy, type Written } from '../writers/files.ts';

/** What is true of one sequence. */
export type Truth =
  | {
      readonly kind: 'binder';
      readonly kdM: number;
      /** Whether the design allows a firm value; such binders of clean families must keep theirs. */
      readonly isFirm: boolean;
      /** Whether the highest dose stands out from the noise. */
      readonly isDetectable: boolean;
    }
  | { readonly kind: 'non_binder' };

export interface AttackCase {
  readonly run: AttackRun;
  readonly truths: Readonly<Record<string, Truth>>;
  /** What a reader of a replay wants to know. */
  readonly story: Readonly<Record<string, unknown>>;
  /** Of a titration. */
  readonly design?: Design;
}

export interface Family {
  readonly name: string;
  readonly assay: AssayName;
  /**
   * What the family is for: `clean` keeps firm values, `mild` keeps values within twofold, `hostile` may not mislead,
   * `told` is only counted, because the file cannot show its fault.
   */
  readonly demand: 'clean_bli' | 'clean_spr' | 'mild' | 'hostile' | 'told';
  draw(random: Random): AttackCase;
}

export function drawCase(family: Family, seed: number): AttackCase {
  return family.draw(createRandom(`${family.name}:${seed}`));
}

const SEQUENCE = 'MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQVK';
const SHARE_OF_OTHER_FORMATS = 0.25;
/** A response so much higher than the noise may not be called a firm non-binder. */
const DETECTABLE_OVER_NOISE = 5;

interface Told {
  /** Null where nothing binds; the KD of the design otherwise. */
  readonly kdM?: number | null;
  readonly story?: Readonly<Record<string, unknown>>;
  /** Only our own traces can say it: roles, injections of a single cycle, samples at uneven times. */
  readonly needsTraces?: boolean;
}

function chooseWriter(random: Random, design: Design, recording: Recording, needsTraces: boolean): Written {
  const isPlain = !design.hasReferences && design.pauseS === null && !needsTraces;
  if (!isPlain || !random.hasLuck(SHARE_OF_OTHER_FORMATS)) return writeTraces(recording);
  return random.hasLuck(0.5) ? writeMultiCycle(recording) : writeXy(recording, random.pick([0, 1, 2]));
}

/** Writes a recording of one analyte as the run that a lab brings. */
export function makeCase(random: Random, design: Design, recording: Recording, known: Told = {}): AttackCase {
  const written = chooseWriter(random, design, recording, known.needsTraces ?? false);
  const kdM = known.kdM === undefined ? findKd(design.rates) : known.kdM;
  const isDetectable = recording.peak >= DETECTABLE_OVER_NOISE * design.noise;
  return {
    run: {
      experimentType: 'affinity',
      method: design.technique,
      files: written.files,
      sequences: { [SAMPLE]: SEQUENCE },
      orderedNm: design.dosesM.map((dose) => Number((dose * 1e9).toPrecision(6))),
      settings: written.settings,
    },
    truths: {
      [SAMPLE]:
        kdM === null ? { kind: 'non_binder' } : { kind: 'binder', kdM, isFirm: isFirm(design), isDetectable },
    },
    design,
    story: { ...design, kdM, file: written.files[0]?.name, ...known.story },
  };
}
