/** Fields by which stored runs can be filtered, sorted and searched. */
import { listFields } from '#core/filter/index.ts';
import { experimentTypes } from '../experiments/types.ts';
import { layoutNames } from './layouts.ts';

export const runStatuses = ['planned', 'running', 'complete', 'canceled'] as const;

/** A started run is complete when the raw data of all its experiments are. */
export const RUN_STATUS = `case when r.status = 'running' and not exists
  (select 1 from runs own where own.lab_run_id = r.id and own.status = 'running') then 'complete' else r.status end`;
export const RUN_CODE = "'RUN-' || lpad(r.number::text, 6, '0')";

export const runFields = listFields({
  name: 'runs of the lab',
  key: 'id',
  defaultSort: '-created_at',
  fields: {
    id: { kind: 'uuid', sql: 'r.id' },
    code: { kind: 'text', sql: RUN_CODE, search: true },
    status: { kind: 'enum', sql: RUN_STATUS, values: runStatuses },
    experiment_type: { kind: 'enum', sql: 'r.experiment_type', values: experimentTypes },
    method: { kind: 'text', sql: 'r.method', nullable: true },
    layout: { kind: 'enum', sql: 'r.layout', values: layoutNames },
    n_plates: { kind: 'int', sql: 'r.plate_count' },
    n_experiments: { kind: 'int', sql: 'r.experiment_count' },
    instrument: { kind: 'text', sql: 'r.instrument', nullable: true, search: true },
    operator: { kind: 'text', sql: 'r.operator', nullable: true, search: true },
    created_by: { kind: 'text', sql: 'r.created_by' },
    created_at: { kind: 'timestamp', sql: 'r.created_at' },
    updated_at: { kind: 'timestamp', sql: 'r.updated_at' },
    started_at: { kind: 'timestamp', sql: 'r.started_at', nullable: true },
  },
});
