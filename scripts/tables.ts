/** `npm run tables`: writes the types of `src/core/tables.ts` from the tables that the migrations make. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createDatabase } from '#adapters/postgres/pool.ts';
import { startTestServer } from '#testing/database.ts';
import { writeTableTypes } from '#testing/table-types.ts';

const path = fileURLToPath(new URL('../src/core/tables.ts', import.meta.url));
const server = await startTestServer();
try {
  const database = createDatabase({ connection: server.template });
  await writeFile(path, await writeTableTypes(database.read));
  await database.close();
} finally {
  await server.stop();
}
console.log(`wrote ${path}`);
