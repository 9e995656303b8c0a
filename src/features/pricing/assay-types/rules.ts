/**
 * What the lab offers of an assay, and whether an order keeps to it. Pure.
 * This folder: the assay types that the lab offers. Not here: what an assay is (`assays`), and its price.
 */
import type { Problem } from '#core/failures.ts';
import { findAssay, hasTarget } from '#assays/registry.ts';
import { experimentTypes } from '../../experiments/types.ts';

export const bindingMethods = ['bli', 'spr'] as const;

/** The most that the contract allows. */
export const REPLICATES_MAX = 5;

export interface Offer {
  readonly methods: readonly string[];
  readonly replicates_min: number;
  readonly replicates_max: number;
}

export interface OfferEntry extends Offer {
  readonly experiment_type: string;
  readonly offered: boolean;
  /** Null: none is promised. */
  readonly turnaround_workdays: number | null;
}

/** What an assay type is before the lab says anything about it. */
export function createEntry(type: string): OfferEntry {
  return {
    experiment_type: type,
    offered: false,
    methods: hasTarget(type) ? bindingMethods : [],
    replicates_min: 1,
    replicates_max: REPLICATES_MAX,
    turnaround_workdays: null,
  };
}

/** What is known of each assay type without the lab. */
export function describeTypes(): Readonly<Record<string, { title: string; requires_target: boolean }>> {
  return Object.fromEntries(
    experimentTypes.map((name) => [
      name,
      { title: findAssay(name)?.title ?? formatTitle(name), requires_target: hasTarget(name) },
    ]),
  );
}

function formatTitle(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function findEntryProblems(entry: OfferEntry): Problem[] {
  const problems: Problem[] = [];
  const refuse = (path: string, message: string) => problems.push({ path, message });
  const needsMethods = hasTarget(entry.experiment_type);
  if (needsMethods && entry.methods.length === 0) refuse('methods', 'must name at least one method');
  if (!needsMethods && entry.methods.length > 0)
    refuse('methods', `must be empty, because ${entry.experiment_type} takes no method`);
  if (new Set(entry.methods).size < entry.methods.length) refuse('methods', 'must name each method once');
  if (entry.replicates_min > entry.replicates_max)
    refuse('n_replicates_min', 'must not be more than n_replicates_max');
  return problems;
}

export interface OrderedMeasurement {
  readonly method: string | null;
  readonly n_replicates: number;
}

/** Finds what an order of an offered assay asks for beyond the offer; `root` stands before the fields. */
export function findOfferProblems(
  { methods, replicates_min: least, replicates_max: most }: Offer,
  { method, n_replicates: nReplicates }: OrderedMeasurement,
  root: string,
): Problem[] {
  const problems: Problem[] = [];
  if (method !== null && !methods.includes(method))
    problems.push({
      path: `${root}method`,
      message: `${method} is not offered by this lab; offered: ${methods.join(', ')}`,
    });
  if (nReplicates < least || nReplicates > most)
    problems.push({
      path: `${root}n_replicates`,
      message:
        least === most
          ? `this lab measures exactly ${least}`
          : `this lab measures ${least} to ${most}, not ${nReplicates}`,
    });
  return problems;
}

/** The replicates of an order that names no number: the usual number, or the nearest one that is offered. */
export function chooseReplicates(usual: number, offer?: Offer): number {
  if (offer === undefined) return usual;
  return Math.min(Math.max(usual, offer.replicates_min), offer.replicates_max);
}
