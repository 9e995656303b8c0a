/** Operations with which the lab keeps its catalog of targets. */
import { EXAMPLE_ADDRESS } from '#core/example-address.ts';
import { CreatedAt, UpdatedAt } from '#core/fields.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation, LARGE_BODY_BYTES } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { buildAnswers } from '#core/record.ts';
import { Nullable, OneOf, strict, Type, Uuid } from '#core/schema.ts';
import { catalogColumns } from './catalog-csv.ts';
import { TargetInfo, TargetPricing } from './contract.ts';
import { labTargetFields } from './list-fields.ts';
import { staffFields, targetRecord } from './record.ts';

const CSV_MEDIA = 'text/csv';

const { name, vendor_name, catalog_number, ...others } = targetRecord.properties;
const names = { name, vendor_name, catalog_number };
const fields = {
  ...others,
  pricing: Type.Optional(
    Nullable(TargetPricing, {
      description: 'price of the antigen, before tax; null: the lab quotes it by hand',
    }),
  ),
};

const LabTarget = Type.Object({
  ...TargetInfo.properties,
  organization_id: Nullable(Uuid, {
    description: 'organization that alone sees the target; null for a target for everyone',
  }),
  ...buildAnswers(staffFields),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
});

const params = Type.Object({
  target_id: Type.String({ format: 'uuid', description: 'id of an item of `list_lab_targets`' }),
});

const ID = '01980000-0000-7000-8000-000000000001';
const AT = '2026-01-20T09:00:00.000Z';
const shown = {
  id: ID,
  name: 'EGFR',
  vendor_name: 'Demo catalog',
  catalog_number: 'DEMO-0001',
  url: `${EXAMPLE_ADDRESS}/targets/${ID}`,
  uniprot_id: 'P00533',
  gene_names: ['EGFR'],
  organism: 'Homo sapiens',
  family: 'Receptor tyrosine kinase',
  selfservice: true,
  pricing: { type: 'per_sequence' as const, price_per_sequence_cents: 500 },
  retired: false,
  organization_id: null,
  lot: 'L-2026-01',
  stock_ug: 400,
  control_kd_m: 1e-9,
  created_at: AT,
  updated_at: AT,
};

export const listLabTargets = defineOperation({
  id: 'list_lab_targets',
  method: 'GET',
  path: '/lab/targets',
  tag: 'lab-catalog',
  summary: 'List all targets, also retired ones and those of one organization',
  effect: 'read',
  permission: 'lab:read',
  list: labTargetFields,
  query: ListQuery({}),
  output: PageOf(LabTarget),
  failures: ['invalid_query'],
  example: {
    query: { filter: 'eq(retired,false)' },
    output: { items: [shown], count: 1, offset: 0, total: 1 },
  },
});

export const getLabTarget = defineOperation({
  id: 'get_lab_target',
  method: 'GET',
  path: '/lab/targets/{target_id}',
  tag: 'lab-catalog',
  summary: 'Read a target with its details, lot and stock',
  effect: 'read',
  permission: 'lab:read',
  params,
  output: LabTarget,
  failures: ['target_not_found'],
  example: { params: { target_id: ID }, output: shown },
});

export const createTarget = defineOperation({
  id: 'create_target',
  method: 'POST',
  path: '/lab/targets',
  tag: 'lab-catalog',
  summary: 'Add a target to the catalog of everyone',
  effect: 'reversible',
  permission: 'lab:price',
  bodyMode: 'required',
  body: Type.Object({ ...names, ...fields }, strict),
  success: 201,
  output: LabTarget,
  failures: ['invalid_request', 'target_exists'],
  example: {
    body: {
      name: shown.name,
      vendor_name: shown.vendor_name,
      catalog_number: shown.catalog_number,
      uniprot_id: shown.uniprot_id,
      pricing: shown.pricing,
    },
    output: shown,
  },
});

export const editTarget = defineOperation({
  id: 'edit_target',
  method: 'PATCH',
  path: '/lab/targets/{target_id}',
  tag: 'lab-catalog',
  summary: 'Edit a target, retire it, or list it again',
  description:
    'Omitted fields keep their values; null and an empty list clear a field. A new price counts for quotes that are made from then on; an open quote keeps its price.',
  effect: 'reversible',
  permission: 'lab:price',
  params,
  bodyMode: 'required',
  body: Type.Object({ ...Type.Partial(Type.Object(names)).properties, ...fields }, strict),
  output: LabTarget,
  failures: ['invalid_request', 'target_not_found', 'target_exists'],
  example: {
    params: { target_id: ID },
    body: { control_kd_m: 1e-9, stock_ug: 400, lot: 'L-2026-01' },
    output: shown,
  },
});

export const getCatalogFile = defineOperation({
  id: 'get_catalog_file',
  method: 'GET',
  path: '/lab/targets/export',
  tag: 'lab-catalog',
  summary: 'Read the targets for everyone as a CSV file, which can be edited and imported',
  description:
    'JSON with the text of the file; its address serves the file itself as text/csv. Lists are separated by `;`, lots are `sequences:cents`.',
  effect: 'read',
  permission: 'lab:read',
  media: ['application/json', CSV_MEDIA],
  output: Type.Object({
    content: Type.String({ description: 'the file: a header, then one target in each row' }),
    count: Type.Integer({ description: 'number of targets' }),
  }),
  failures: [],
  example: {
    output: { content: 'catalog_number,name,vendor_name\r\nDEMO-0001,EGFR,Demo catalog\r\n', count: 1 },
  },
});

const ImportFile = Type.Object(
  {
    content: Type.String({
      description: 'the whole file; its first row names the columns',
    }),
  },
  strict,
);
const IMPORT_TEXT = { member: 'content', media: [CSV_MEDIA, 'text/plain', 'text/tab-separated-values'] };

const counts = {
  added: Type.Integer({ minimum: 0, description: 'number of new targets' }),
  changed: Type.Integer({ minimum: 0, description: 'number of targets with a change' }),
  unchanged: Type.Integer({ minimum: 0, description: 'number of targets that stay as they are' }),
  items: Type.Array(
    Type.Object({
      line: Type.Integer({ description: 'line of the file, from 1' }),
      catalog_number: Type.String({ description: 'by which the target is found' }),
      name: Type.String({ description: 'name of the target after the import' }),
      action: OneOf(['add', 'change'], { description: 'add: the catalog has no such number yet' }),
      changes: Type.Array(
        Type.Object({
          field: Type.String({ description: 'name of the field' }),
          before: Type.Unknown({ description: 'current value; null or empty for a new target' }),
          after: Type.Unknown({ description: 'value after the import' }),
        }),
        { description: 'every field that changes' },
      ),
    }),
    { description: 'targets that the import adds or changes, in the order of the file' },
  ),
};

const IMPORT_RULES =
  `The columns are ${catalogColumns.join(', ')}. ` +
  'A target is found by its `catalog_number`. A column that the file lacks keeps its values, an empty cell clears one. Targets that the file does not name stay as they are; `retired` `true` retires one.';
const BODY = 'catalog_number,stock_ug\nDEMO-0001,400\n';
const plan = {
  added: 0,
  changed: 1,
  unchanged: 0,
  items: [
    {
      line: 2,
      catalog_number: 'DEMO-0001',
      name: 'EGFR',
      action: 'change' as const,
      changes: [{ field: 'stock_ug', before: null, after: 400 }],
    },
  ],
};

export const validateTargetImport = defineOperation({
  id: 'validate_target_import',
  method: 'POST',
  path: '/lab/targets/import/validate',
  tag: 'lab-catalog',
  summary: 'Say what an import of targets would change, and every problem by its line',
  description: `Nothing is written. ${IMPORT_RULES}`,
  effect: 'read',
  permission: 'lab:price',
  bodyBytesMax: LARGE_BODY_BYTES,
  bodyMode: 'required',
  text: IMPORT_TEXT,
  body: ImportFile,
  output: Type.Object({
    ...counts,
    problems: Type.Array(
      Type.Object({
        line: Type.Integer({ description: 'line of the file, from 1' }),
        message: Type.String({ description: 'what is wrong there' }),
      }),
      { description: 'with any, the file cannot be imported' },
    ),
  }),
  failures: [],
  example: { body: { content: BODY }, output: { ...plan, problems: [] } },
});

export const importTargets = defineOperation({
  id: 'import_targets',
  method: 'POST',
  path: '/lab/targets/import',
  tag: 'lab-catalog',
  summary: 'Import targets from a CSV file: all of it, or nothing',
  description: IMPORT_RULES,
  effect: 'reversible',
  permission: 'lab:price',
  bodyBytesMax: LARGE_BODY_BYTES,
  bodyMode: 'required',
  text: IMPORT_TEXT,
  body: ImportFile,
  output: Type.Object(counts),
  failures: ['import_refused'],
  example: { body: { content: BODY }, output: plan },
});
