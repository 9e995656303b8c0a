import { labScope } from '#core/scope.ts';
import type { Sealer } from '#core/sealer.ts';
import type { Database } from '#core/sql.ts';
import { lockPlainSecrets, setWebhookSecret } from './store.ts';

const BATCH = 100;

/** Seals some secrets of experiments that an earlier version kept as they were given. */
export async function sealPlainSecrets(database: Database, sealer: Sealer): Promise<void> {
  await database.runTransaction(async (tx) => {
    for (const { id, webhook_secret: secret } of await lockPlainSecrets(labScope, tx, BATCH))
      await setWebhookSecret(labScope, tx, id, sealer.seal(secret));
  });
}
