/** Fields by which the lists of assay types can be filtered, sorted and searched. */
import { listFields } from '#core/filter/index.ts';

const fields = {
  experiment_type: { kind: 'text', sql: 'a.experiment_type', search: true },
  n_replicates_min: { kind: 'int', sql: 'a.replicates_min' },
  n_replicates_max: { kind: 'int', sql: 'a.replicates_max' },
  turnaround_workdays: { kind: 'int', sql: 'a.turnaround_workdays', nullable: true },
} as const;

export const assayTypeFields = listFields({
  name: 'assay types',
  key: 'experiment_type',
  defaultSort: 'turnaround_workdays',
  fields,
});

export const labAssayTypeFields = listFields({
  name: 'assay types of the lab',
  key: 'experiment_type',
  defaultSort: '-offered',
  fields: {
    ...fields,
    offered: { kind: 'bool', sql: 'a.offered' },
    updated_at: { kind: 'timestamp', sql: 'a.updated_at' },
  },
});
