/**
 * The assays that the lab sells, in the order in which the contract lists them.
 * This folder: a folder for each assay, what all assays share, and the parts by which others see them. Not here: formats
 * and numerics, which know no assay (`analysis/`).
 */
import type { Assay as Analyzed } from '#analysis/assays/assay.ts';
import type { TSchema } from '#core/schema.ts';
import { joinWords } from '#core/words.ts';
import type { Assay, ExperimentPlot } from './assay.ts';
import { affinity } from './affinity/assay.ts';
import { expression } from './expression/assay.ts';
import { fluorescence } from './fluorescence/assay.ts';
import { screening } from './screening/assay.ts';
import { thermostability } from './thermostability/assay.ts';

export const ASSAYS = { affinity, screening, thermostability, fluorescence, expression };

export type AssayName = keyof typeof ASSAYS;

/** The assay of an order, unless the client chooses another. */
export const USUAL_ASSAY: AssayName = 'affinity';

export function isAssay(experimentType: string): experimentType is AssayName {
  return Object.hasOwn(ASSAYS, experimentType);
}

/** In the order of the contract. */
export function listAssayNames(): AssayName[] {
  return Object.keys(ASSAYS).filter(isAssay);
}

/** `result_type` of the rows that clients with a closed list of shapes know. */
export function listPublishedShapes(): readonly string[] {
  return listAssayNames().filter((name) => ASSAYS[name].hasPublishedRow);
}

/** In the order in which people are offered them. */
export function listOfferedNames(): AssayName[] {
  return listAssayNames().sort((a, b) => ASSAYS[a].offeredAs - ASSAYS[b].offeredAs);
}

type Registered = Assay<Analyzed, TSchema>;

/** Loads one part of every assay, in the order in which people are offered them. */
export async function loadParts<Part>(
  load: (assay: Registered) => Promise<Part> | undefined,
): Promise<Readonly<Record<string, Part>>> {
  const parts = new Map<string, Part>();
  for (const name of listOfferedNames()) {
    const part = await load(ASSAYS[name]);
    if (part !== undefined) parts.set(name, part);
  }
  return Object.fromEntries(parts);
}

/** Returns undefined for experiment types that the lab accepts by agreement only. */
export function findAssay(experimentType: string): Registered | undefined {
  return isAssay(experimentType) ? ASSAYS[experimentType] : undefined;
}

/** Sequences are measured against a target, by a method of binding. */
export function hasTarget(experimentType: string): boolean {
  return findAssay(experimentType)?.hasTarget ?? false;
}

export function takesConcentrations(experimentType: string): boolean {
  return findAssay(experimentType)?.takesConcentrations ?? false;
}

export function hasPlot(experimentType: string, plot: ExperimentPlot): boolean {
  return findAssay(experimentType)?.plots.includes(plot) ?? false;
}

/** Lists the assays that have a plot, as words: `screening, fluorescence and expression`. */
export function formatAssaysWith(plot: ExperimentPlot): string {
  const named = listAssayNames().filter((name) => hasPlot(name, plot));
  return joinWords(named, 'and');
}
