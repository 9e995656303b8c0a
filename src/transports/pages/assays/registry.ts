/**
 * The assays that the pages know, in the order in which they offer them.
 * This folder: labels, columns and headlines of each assay on the pages. Not here: values.
 */
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

/** Undefined for the binding assays, which have pages of their own kind. */
export function assayView(experimentType: string): AssayView | undefined {
  return isAssay(experimentType) ? (PAGE_ASSAYS[experimentType].view ?? undefined) : undefined;
}
