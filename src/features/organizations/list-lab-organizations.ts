import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import { labScope } from '#core/scope.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import type { listLabOrganizations as operation } from './lab-contract.ts';
import { labOrganizationFields } from './list-fields.ts';
import { listOrganizationsPage } from './lab-store.ts';
import { LAB_LIST, parseList } from '#core/parse-list.ts';

/** `GET /lab/organizations`. */
export function listLabOrganizations(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseList(context, labOrganizationFields, input.query, [], LAB_LIST);
  return listOrganizationsPage(labScope, context.sql, query, INSTALLATION_ID);
}
