import type { ListQuery } from '#core/filter/index.ts';
import { listPage } from '#core/list-page.ts';
import type { RawJson } from '#core/reply.ts';
import { getOrganizationId, type LabScope, type OrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { insertOwned } from '#core/write-rows.ts';
import { labMessageList, messageList, type Side } from './contract.ts';

interface NewMessage {
  readonly id: string;
  readonly experiment_id: string;
  readonly result_id: string | null;
  readonly side: Side;
  readonly author: string;
  readonly text: string;
  readonly mentions: readonly string[];
  readonly created_at: Date;
}

export async function insertMessage(scope: OrganizationScope, sql: Sql, message: NewMessage): Promise<void> {
  await sql.query(...insertOwned(scope, 'messages', message));
}

const EXPERIMENT = { alias: 'e', sql: 'join experiments e on e.id = m.experiment_id' };
const SEQUENCE = {
  alias: 's',
  sql: 'left join results r on r.id = m.result_id left join sequences s on s.id = r.sequence_id',
};
const ANSWER = {
  alias: 'a',
  sql: `left join lateral (select later.id from messages later where later.experiment_id = m.experiment_id
    and later.side = 'lab' and (later.created_at, later.id) > (m.created_at, m.id) limit 1) a on true`,
};

export function listMessagePage(
  scope: OrganizationScope,
  sql: Sql,
  query: ListQuery,
  experimentId: string,
): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: messageList.columns,
      from: 'messages m',
      alias: 'm',
      joins: [EXPERIMENT, SEQUENCE],
      where: 'm.organization_id = $1 and m.experiment_id = $2',
      values: [scope.organizationId, experimentId],
    },
    query,
  );
}

export function listLabMessagePage(lab: LabScope, sql: Sql, query: ListQuery): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: labMessageList.columns,
      from: 'messages m',
      alias: 'm',
      joins: [
        EXPERIMENT,
        SEQUENCE,
        ANSWER,
        { alias: 'o', sql: 'join organizations o on o.id = m.organization_id' },
      ],
      where: '$1::uuid is null',
      values: [getOrganizationId(lab)],
    },
    query,
  );
}
