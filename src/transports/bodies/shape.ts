/** How large a body of an operation may be, and how much may stand in it. */
import type { Limits } from '#core/context.ts';
import { LARGE_BODY_BYTES, SMALL_BODY_BYTES, type Operation } from '#core/operation.ts';

/** Limits that hold while a body is read, because each of its parts costs memory and time beyond its bytes. */
export interface BodyShape {
  /** Lists and objects inside one another. */
  readonly depthMax: number;
  /** Members of objects, all together. */
  readonly namesMax: number;
  /** Members of one object: to list those of a very large one takes long. */
  readonly membersMax: number;
  /** Texts, numbers, lists, objects and the like. */
  readonly valuesMax: number;
}

export interface BodyLimits {
  readonly bytesMax: number;
  readonly shape: BodyShape;
}

const DEPTH_MAX = 64;
const NAMES_MAX = 10_000;
const VALUES_MAX = 20_000;
/** A sequence with all its metadata has 14 names and, with eight chains in their order, 22 values. */
const NAMES_PER_SEQUENCE = 16;
const VALUES_PER_SEQUENCE = 24;

export const SMALL_SHAPE: BodyShape = {
  depthMax: DEPTH_MAX,
  namesMax: NAMES_MAX,
  membersMax: NAMES_MAX,
  valuesMax: VALUES_MAX,
};

/** Enough for the largest experiment of the installation, whatever is said about its sequences. */
export function largeBody({ bodyBytes, sequencesPerExperiment: sequences }: Limits): BodyLimits {
  return {
    bytesMax: bodyBytes,
    shape: {
      depthMax: DEPTH_MAX,
      namesMax: NAMES_MAX + sequences * NAMES_PER_SEQUENCE,
      membersMax: NAMES_MAX + sequences,
      valuesMax: VALUES_MAX + sequences * VALUES_PER_SEQUENCE,
    },
  };
}

export function bodyLimits({ bodyBytesMax }: Pick<Operation, 'bodyBytesMax'>, limits: Limits): BodyLimits {
  if (bodyBytesMax === LARGE_BODY_BYTES) return largeBody(limits);
  return { bytesMax: Math.min(bodyBytesMax ?? SMALL_BODY_BYTES, limits.bodyBytes), shape: SMALL_SHAPE };
}
