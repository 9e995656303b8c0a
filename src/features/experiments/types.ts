/** Experiment types that a client can order: the assays of the lab, and two that it accepts by agreement only. */
import { listAssayNames } from '#assays/registry.ts';

export const experimentTypes = [...listAssayNames(), 'epitope_binning', 'enzyme_activity'] as const;
