/** The database stores the digest of a session's token; the library sees the token that it asked with. */
import { createHash } from 'node:crypto';
import type { DBAdapter, Where } from 'better-auth/adapters';

function computeSessionDigest(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

export function hideTokens(adapter: DBAdapter): DBAdapter {
  return {
    ...adapter,
    async create<T extends Readonly<Record<string, unknown>>, R = T>(ask: Creation<T>) {
      const { token } = toRecord(ask.data);
      if (ask.model !== 'session' || typeof token !== 'string') return adapter.create<T, R>(ask);
      const created = await adapter.create<T, R>({
        ...ask,
        data: { ...ask.data, token: computeSessionDigest(token) },
      });
      return { ...created, token };
    },
    async findOne<T>(ask: Parameters<DBAdapter['findOne']>[0]) {
      const record = await adapter.findOne<T>(hideToken(ask));
      return record === null ? null : restoreToken(ask, record);
    },
    findMany: (ask) => adapter.findMany(hideToken(ask)),
    count: (ask) => adapter.count(hideToken(ask)),
    async update<T>(ask: Parameters<DBAdapter['update']>[0]) {
      const record = await adapter.update<T>(hideToken(ask));
      return record === null ? null : restoreToken(ask, record);
    },
    updateMany: (ask) => adapter.updateMany(hideToken(ask)),
    delete: (ask) => adapter.delete(hideToken(ask)),
    deleteMany: (ask) => adapter.deleteMany(hideToken(ask)),
    consumeOne: (ask) => adapter.consumeOne(hideToken(ask)),
  };
}

interface Creation<T> {
  readonly model: string;
  readonly data: Omit<T, 'id'>;
}

interface Ask {
  readonly model: string;
  readonly where?: Where[] | undefined;
}

function hideToken<A extends Ask>(ask: A): A {
  if (ask.model !== 'session' || ask.where === undefined) return ask;
  return { ...ask, where: ask.where.map(hideTokenCondition) };
}

function hideTokenCondition(where: Where): Where {
  if (where.field !== 'token') return where;
  const { value } = where;
  if (typeof value === 'string') return { ...where, value: computeSessionDigest(value) };
  return Array.isArray(value)
    ? { ...where, value: value.map((token) => computeSessionDigest(String(token))) }
    : where;
}

function restoreToken<T>(ask: Ask, found: T): T {
  const token = ask.where?.find(({ field }) => field === 'token')?.value;
  return ask.model === 'session' && typeof token === 'string' ? { ...found, token } : found;
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
