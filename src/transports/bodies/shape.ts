/** Limits on the size of an operation's body and on the number of its parts. */
import type { Limits } from '#core/context.ts';
import { LARGE_BODY_BYTES, SMALL_BODY_BYTES, type Operation } from '#core/operation.ts';

/** Limits that apply while a body is read, because each of its parts costs memory and time beyond its bytes. */
export interface BodyShape {
  /** Nesting depth of lists and objects. */
  readonly depthMax: number;
  /** Members of all objects together. */
  readonly namesMax: number;
  /** Members of one object: listing those of a very large object is slow. */
  readonly membersMax: number;
  /** Strings, numbers, lists, objects and other values. */
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

/** Enough for the largest experiment of the installation with all metadata of its sequences. */
export function computeLargeBodyLimits({ bodyBytes, sequencesPerExperiment: sequences }: Limits): BodyLimits {
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

export function computeBodyLimits(
  { bodyBytesMax }: Pick<Operation, 'bodyBytesMax'>,
  limits: Limits,
): BodyLimits {
  if (bodyBytesMax === LARGE_BODY_BYTES) return computeLargeBodyLimits(limits);
  return { bytesMax: Math.min(bodyBytesMax ?? SMALL_BODY_BYTES, limits.bodyBytes), shape: SMALL_SHAPE };
}
