import type { PageAssay } from '../page-assay.ts';

export const screening: PageAssay = {
  label: 'Screening: binds or not',
  templates: ['binding-traces'],
  view: null,
};
