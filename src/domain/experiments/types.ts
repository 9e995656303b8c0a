/** What can be asked for: the assays of the lab, and two that it takes on by agreement only. */
import { assayNames } from '#domain/assays/registry.ts';

export const experimentTypes = [...assayNames, 'epitope_binning', 'enzyme_activity'] as const;
