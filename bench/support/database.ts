/** A database of the bench's own: the embedded server with its durable settings, in a directory that goes away. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerConnection } from '#adapters/postgres/connection.ts';
import { startEmbedded } from '#adapters/postgres/embedded.ts';
import { migrate } from '#adapters/postgres/migrate.ts';
import { migrationsDirectory } from '#composition/database-parts.ts';

export interface BenchDatabase {
  readonly connection: ServerConnection;
  stop(): Promise<void>;
}

/** In `directory` when given, where it stays for the next run. */
export async function openBenchDatabase(directory?: string): Promise<BenchDatabase> {
  const dataDir = directory ?? mkdtempSync(join(tmpdir(), 'assayer-bench-'));
  const server = await startEmbedded({ dataDir, log: (message) => console.error(message) });
  const stop = async () => {
    await server.stop();
    if (directory === undefined) rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    await migrate({ connection: server.connection, directory: migrationsDirectory });
    return { connection: server.connection, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
