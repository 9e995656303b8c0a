import type { PageAssay } from '../page-assay.ts';

export const affinity: PageAssay = {
  label: 'Affinity: KD, kinetics',
  templates: ['binding-traces'],
  view: null,
};
