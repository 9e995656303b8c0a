import { hostname, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { createDatabase } from '#adapters/postgres/pool.ts';
import { systemClock } from '#core/clock.ts';
import { createIds } from '#core/ids.ts';
import type { Database } from '#core/sql.ts';
import type { Operator } from '#features/installation/operator.ts';
import type { Settings } from '#settings/settings.ts';
import { hasDatabase } from '#composition/database-parts.ts';
import { createSystemSources } from '#composition/system-sources.ts';
import { CommandError } from './command-error.ts';
import { withOpenDatabase } from './open-database.ts';
import { readSettingsWith } from './settings-from.ts';

const STATEMENT_LIMIT_MS = 600_000;

/** Creates the operator's account and machine, for the audit trail. */
export function createOperator(): Operator {
  return {
    clock: systemClock,
    ids: createIds(systemClock),
    actor: { actorKind: 'operator', actor: getAccountName(), origin: { address: hostname() } },
  };
}

/** An account of a container may have a number and no name. */
function getAccountName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'operator';
  }
}

/** Reads a database that is there already: a new one has nothing to check, and would look as if all were well. */
export async function withKeptDatabase<T>(
  dataDir: string | undefined,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const settings = readOperatorSettings(dataDir);
  if (!hasDatabase(settings))
    throw new CommandError(
      `DATA_DIR ${resolve(settings.dataDir)} holds no database. Give the directory of the service by --data-dir, or its database by DATABASE_URL.`,
    );
  return useDatabase(settings, work);
}

/** Opens the database of this environment for one action of the operator, also while the service runs. */
export async function withDatabase<T>(
  dataDir: string | undefined,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  return useDatabase(readOperatorSettings(dataDir), work);
}

const readOperatorSettings = (dataDir: string | undefined): Settings =>
  readSettingsWith({ DATA_DIR: dataDir, LOG_LEVEL: 'warn' });

async function useDatabase<T>(settings: Settings, work: (database: Database) => Promise<T>): Promise<T> {
  return withOpenDatabase(settings, createSystemSources(settings).log, async (connection) => {
    const database = createDatabase({ connection, max: 2, statementTimeoutMs: STATEMENT_LIMIT_MS });
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  });
}
