/** The assays on the pages, in the order in which they are offered. */
import type { AssayName } from '#domain/assays/registry.ts';
import { isAssay } from '#domain/assays/registry.ts';
import { affinity } from './affinity/view.ts';
import { expression } from './expression/view.ts';
import { fluorescence } from './fluorescence/view.ts';
import type { AssayView, PageAssay } from './page-assay.ts';
import { screening } from './screening/view.ts';
import { thermostability } from './thermostability/view.ts';

export const PAGE_ASSAYS: Readonly<Record<AssayName, PageAssay>> = {
  affinity,
  screening,
  thermostability,
  expression,
  fluorescence,
};

/** Undefined for the binding assays, which have pages of their own. */
export function assayView(experimentType: string): AssayView | undefined {
  return isAssay(experimentType) ? (PAGE_ASSAYS[experimentType].view ?? undefined) : undefined;
}
