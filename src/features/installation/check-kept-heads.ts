/** Checks for the operator that the database still contains the heads of chains that were kept outside it. */
import { createOrganizationScope } from '#core/scope.ts';
import type { Database, Sql } from '#core/sql.ts';
import { selectChainedEntries, selectChainEnd } from '../audit/store.ts';
import { KeptHeads, readHead, type AuditHead } from '../audit/head.ts';
import { selectPublicKeys } from '../tokens/store.ts';

export interface KeptHead {
  /** Where it was kept, for the report. */
  readonly file: string;
  readonly jws: string;
}

/** One sentence for each head that the database contradicts; empty when it contains them all. */
export async function findHeadProblems(
  database: Pick<Database, 'runTransaction'>,
  heads: readonly KeptHead[],
): Promise<string[]> {
  return database.runTransaction(
    async (tx) => {
      const keys = (await selectPublicKeys(tx)).map(({ kid, public_jwk: key }) => ({ ...key, kid }));
      const problems: string[] = [];
      for (const { file, jws } of heads) {
        const read = readHead(jws, keys);
        if ('problem' in read) problems.push(`The head ${file} cannot be used: ${read.problem}.`);
        else problems.push(...(await compareWithChain(tx, read.head)));
      }
      return problems;
    },
    { isolation: 'repeatable read', readOnly: true },
  );
}

async function compareWithChain(sql: Sql, head: AuditHead): Promise<string[]> {
  const { organization_id: organizationId, position, signed_at: signedAt } = head;
  const scope = createOrganizationScope(organizationId);
  const last = await selectChainEnd(scope, sql);
  if (last.position === 0 && position > 0)
    return [
      `Organization ${organizationId} has no audit trail; it had ${position} ${position === 1 ? 'entry' : 'entries'} by the head of ${signedAt}.`,
    ];
  const keptHeads = new KeptHeads([head], organizationId);
  const entries = await selectChainedEntries(scope, sql, { after: position - 1, limit: 1 });
  for (const entry of entries) keptHeads.compare({ position: entry.chain_position, hash: entry.hash });
  return keptHeads
    .findProblems(last)
    .map((problem) => `The trail of organization ${organizationId}: ${problem}.`);
}
