import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import { labScope } from '#core/scope.ts';
import { INSTALLATION_ID } from '#domain/audit/rules.ts';
import type { listLabOrganizations as operation } from '#domain/organizations/lab-contract.ts';
import { labOrganizationFields } from '#domain/organizations/list-fields.ts';
import { listOrganizationsPage } from '#domain/organizations/lab-store.ts';
import { LAB_LIST, parseList } from '../lists/parse-list.ts';

/** `GET /lab/organizations`. */
export function listLabOrganizations(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseList(context, labOrganizationFields, input.query, [], LAB_LIST);
  return listOrganizationsPage(labScope, context.sql, query, INSTALLATION_ID);
}
