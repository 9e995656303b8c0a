/** Fields by which the lists of this noun can be filtered, sorted and searched. */
import { listFields, type FieldDeclaration } from '#core/filter/index.ts';
import { experimentTypes } from '../experiments/types.ts';
import { GRADES } from './assessment.ts';
import { outcomes } from './outcomes.ts';
import { RELEASED_MEMBERS_OF_ROW, RELEASED_PLACE, SEQUENCE_NAME } from './shown-to-clients.ts';

/** Defines a field with the value of an aggregate quantity, in the unit of its name. */
function defineQuantityField(name: string): FieldDeclaration {
  return { kind: 'float', sql: `(r.quantities #>> '{${name},value}')::float8`, nullable: true };
}

/** Numbers inside names count as numbers, so that design-2 stands before design-10: each is filled up with zeros. */
const writeNaturalOrder = (text: string): string =>
  `regexp_replace(regexp_replace(lower(${text}), '(\\d+)', '00000000000000000000\\1', 'g'), '\\d*(\\d{20})', '\\1', 'g')`;

/** Null in a record from before there were grades. */
const GRADE = 'r.grade';

const RESULT_FIELDS: Readonly<Record<string, FieldDeclaration>> = {
  id: { kind: 'uuid', sql: 'r.id' },
  experiment_type: { kind: 'enum', sql: 'r.experiment_type', values: experimentTypes },
  result_type: { kind: 'enum', sql: 'r.experiment_type', values: experimentTypes },
  experiment_id: { kind: 'uuid', sql: 'r.experiment_id' },
  experiment_code: { kind: 'text', sql: 'r.experiment_code' },
  title: { kind: 'text', sql: 'r.title', search: true },
  sequence_id: { kind: 'uuid', sql: 'r.sequence_id' },
  sequence_name: { kind: 'text', sql: SEQUENCE_NAME, order: writeNaturalOrder(SEQUENCE_NAME) },
  is_control: { kind: 'bool', sql: 'coalesce(r.is_control, false)' },
  target_id: { kind: 'uuid', sql: 'r.target_id', nullable: true },
  grade: {
    kind: 'enum',
    sql: GRADE,
    values: GRADES,
    order: `array_position(array[${GRADES.map((grade) => `'${grade}'`).join(', ')}], ${GRADE})`,
    nullable: true,
  },
  outcome: { kind: 'enum', sql: 'r.outcome', values: outcomes },
  flags: { kind: 'text', sql: `coalesce(r.flags::text, '[]')` },
  flag_count: { kind: 'int', sql: 'coalesce(jsonb_array_length(r.flags), 0)' },
  status: { kind: 'enum', sql: 'r.status', values: ['preliminary', 'final', 'amended', 'withdrawn'] },
  version: { kind: 'int', sql: 'r.version' },
  binding_score: { kind: 'float', sql: 'r.binding_score', nullable: true },
  place: { kind: 'int', sql: RELEASED_PLACE, nullable: true },
  rank_best: { kind: 'float', sql: 'r.rank_best', nullable: true },
  rank_worst: { kind: 'float', sql: 'r.rank_worst', nullable: true },
  kd_m: defineQuantityField('kd'),
  tm_c: defineQuantityField('tm'),
  yield_ng_per_ul: defineQuantityField('yield_ng_per_ul'),
  normalized_to_control: defineQuantityField('normalized_to_control'),
  log2_fold: defineQuantityField('log2_fold'),
  class: { kind: 'text', sql: 'r.class', nullable: true },
  quantities: { kind: 'json', sql: 'r.quantities', nullable: true },
  summary: { kind: 'json', sql: '(r.summary -> 0)', members: RELEASED_MEMBERS_OF_ROW, nullable: true },
  created_at: { kind: 'timestamp', sql: 'r.created_at' },
};

export const resultFields = listFields({
  name: 'results',
  key: 'id',
  defaultSort: '-created_at',
  fields: RESULT_FIELDS,
});

/** Fields for the list of one experiment, best first: by the bound that favors a result, then by the other. */
export const experimentResultFields = listFields({
  name: 'experiment results',
  key: 'id',
  defaultSort: 'rank_best,rank_worst',
  fields: RESULT_FIELDS,
});

/** Fields for the list of one experiment as staff read it: ranks and rows tell of all results, released or not. */
export const labResultFields = listFields({
  name: 'experiment results',
  key: 'id',
  defaultSort: 'rank_best,rank_worst',
  fields: {
    ...RESULT_FIELDS,
    place: { kind: 'int', sql: 'r.place', nullable: true },
    summary: { kind: 'json', sql: '(r.summary -> 0)', nullable: true },
  },
});
